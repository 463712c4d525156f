import { html, type Markup } from '../../../strict-http/src/markup.ts'
import { type ApiDocument, groupOperations, isProtected, type ServedOperation } from '../content/api-document.ts'
import { inline } from './markdown.ts'
import { operationSection } from './operations.ts'
import { overview } from './overview.ts'
import { quickstart } from './quickstart.ts'
import { createSchemaPieces } from './schemas.ts'

/** All operations and schemas of a document on one page. */
export function referenceBody(document: ApiDocument): Markup {
  const schemas = createSchemaPieces(document, '')
  const groups = groupOperations(document)
  const needsToken = groups.some(({ operations }) => operations.some(isProtected))
  const first = groups
    .flatMap(({ operations }) => operations)
    .find(({ operationId }) => operationId === 'listCampaigns')
  const isPublicServed = first !== undefined
  const baseUrl = first?.servers?.[0]?.url ?? '/'
  return html`<h1>${document.info.title} <span class="version">${document.info.version}</span></h1>
${overview(document.info.description)}
<p>The same for machines: <a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a> (OpenAPI 3.1).</p>
<p>What do you want to do? The <a href="/docs/guides">guides</a> begin with a list of tasks.</p>
${isPublicServed && quickstart(baseUrl)}
${needsToken && authorization}
${groups.map(
  ({ name, description, operations }) => html`<section aria-labelledby="tag-${name}">
<h2 id="tag-${name}">${name}</h2>
<p>${inline(description)}</p>
${operations.map((operation) => operationSection(operation, schemas, false))}
</section>`,
)}
<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${schemas.all()}
</section>`
}

/** One operation, and where it needs a token also the field for that. */
export const operationBody = (document: ApiDocument, operation: ServedOperation): Markup =>
  html`${operationSection(operation, createSchemaPieces(document, '/docs'), true)}${isProtected(operation) && authorization}`

const authorization = html`<section id="authorize" aria-labelledby="authorize-title">
<h2 id="authorize-title">Authorize</h2>
<p id="token-about">Access lists and profiles need a token, all else needs none: <a href="/docs/guides/protected-operations">protected operations</a>. The token stays in this tab until the tab is closed, is sent with these operations only, and is never copied into a command.</p>
<form class="authorize">
<label for="token">Token</label> <input id="token" type="password" autocomplete="off" spellcheck="false" aria-describedby="token-about"> <button type="reset">Forget</button>
</form>
</section>`
