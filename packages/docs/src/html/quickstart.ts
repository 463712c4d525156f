import { html, type Markup } from '../../../strict-http/src/markup.ts'
import { highlight } from './highlighting.ts'

/** Where the examples are sent until the page knows its own address. */
const EXAMPLE_HOST = 'http://localhost:3000'

const REPORT = [
  `console.log(\`\${totalCampaigns} active campaigns, the newest:\`)`,
  'for (const { id, campaignName } of campaigns) console.log(campaignName ?? id)',
]

/** The first requests, five lines in each language. */
const LINES: Record<string, { syntax: string; lines: string[] }> = {
  curl: {
    syntax: 'sh',
    lines: [
      `curl -s '${EXAMPLE_HOST}/campaigns?showActiveOnly=true&pageSize=3'  # active campaigns, newest first`,
      `curl -s '${EXAMPLE_HOST}/reward-kit/trending?period=1h'  # what is claimed most right now`,
      `curl -s '${EXAMPLE_HOST}/explore/contracts?pageSize=3'  # the contracts that campaigns target`,
      `curl -s '${EXAMPLE_HOST}/status'  # how far each chain is indexed`,
      `curl -s '${EXAMPLE_HOST}/limits'  # the limits of the service`,
    ],
  },
  fetch: {
    syntax: 'js',
    lines: [
      `const response = await fetch('${EXAMPLE_HOST}/campaigns?showActiveOnly=true&pageSize=3')`,
      'if (!response.ok) throw new Error((await response.json()).error)',
      'const { campaigns, totalCampaigns } = await response.json()',
      ...REPORT,
    ],
  },
  client: {
    syntax: 'js',
    lines: [
      `import { createClient } from 'reward-campaigns-client'`,
      `const client = createClient({ baseUrl: '${EXAMPLE_HOST}' })`,
      'const { campaigns, totalCampaigns } = await client.listCampaigns({ showActiveOnly: true, pageSize: 3 })',
      ...REPORT,
    ],
  },
}

/** In which language requests are shown: one choice for the whole page. */
export const languageChoice: Markup = html`<p class="languages" role="group" aria-label="Language of requests">${Object.keys(
  LINES,
).map(
  (language, index) =>
    html`<button type="button" data-language="${language}" aria-pressed="${String(index === 0)}">${language}</button>`,
)}</p>`

/** First requests to copy. The page puts the address of the service into them. */
export const quickstart = (baseUrl: string): Markup => html`<section id="quickstart" aria-labelledby="quickstart-title">
<h2 id="quickstart-title">Quickstart</h2>
<p>No API key is needed. The <a href="/docs/guides/first-request">first-request guide</a> explains each step.</p>
${languageChoice}
${Object.entries(LINES).map(
  ([language, { syntax, lines }], index) =>
    html`<div class="code" data-shown-in="${language}" data-base="${baseUrl}"${index > 0 && html` hidden`}><button type="button" class="copy" data-copies="code">Copy</button><pre tabindex="0" role="group" aria-label="Quickstart with ${language}"><code>${highlight(lines.join('\n'), syntax)}</code></pre></div>`,
)}
</section>`
