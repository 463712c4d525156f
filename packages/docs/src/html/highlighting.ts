import { escapeText, Markup } from '../../../strict-http/src/markup.ts'

/** Words of a language that differ from names, for those that are shown. */
const KEYWORDS = /^(?:await|break|const|continue|for|function|if|import|from|let|new|of|return|true|false|null)$/

const SCRIPTS = new Set(['js', 'jsx', 'ts', 'tsx', 'mjs'])

/** What one can tell of most languages at a glance: strings with a colon behind them, strings, comments, words. */
const TOKENS = {
  script: /(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`[^`]*`)|(?<comment>\/\/.*)|(?<word>\b[a-z]+\b)/g,
  json: /(?<key>"(?:\\.|[^"\\])*")(?=\s*:)|(?<string>"(?:\\.|[^"\\])*")|(?<word>\b[a-z]+\b)/g,
  shell: /(?<comment>(?<=^|\s)#.*)|(?<prompt>^\$ )|(?<string>"(?:\\.|[^"\\\n])*"|'[^'\n]*')/gm,
}

/** Code as HTML, with what stands out in it marked. */
export function highlight(code: string, language: string): Markup {
  const tokens =
    language === 'json'
      ? TOKENS.json
      : SCRIPTS.has(language)
        ? TOKENS.script
        : language === ''
          ? undefined
          : TOKENS.shell
  if (tokens === undefined) return new Markup(escapeText(code))
  let marked = ''
  let done = 0
  for (const match of code.matchAll(tokens)) {
    const [kind, token] = Object.entries(match.groups ?? {}).find(([, group]) => group !== undefined) ?? []
    if (kind === undefined || token === undefined || (kind === 'word' && !KEYWORDS.test(token))) continue
    marked += `${escapeText(code.slice(done, match.index))}<span class="${kind}">${escapeText(token)}</span>`
    done = match.index + token.length
  }
  return new Markup(marked + escapeText(code.slice(done)))
}
