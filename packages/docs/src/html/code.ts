import { html } from '../../../strict-http/src/markup.ts'
import { highlight } from './highlighting.ts'

/** A block of code with a button that copies it; of a terminal's text, what was typed. */
export const codeBlock = (code: string, language: string) =>
  html`<div class="code"><button type="button" class="copy" data-copies="${language}">Copy</button><pre><code>${highlight(code, language)}</code></pre></div>`

/** JSON to read. */
export const jsonBlock = (value: unknown) => codeBlock(JSON.stringify(value, null, 2), 'json')
