import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { prefersType } from '../../content/negotiation.ts'
import { html } from '../../markup.ts'
import { toRelativeHtml } from '../../relative-links.ts'
import { toServiceUrl } from '../../service-links.ts'
import type { ParameterError } from './error-schemas.ts'

/** A failure as its caller sees it. */
export interface Failure {
  statusCode: number
  /** Stable, for programs: `x-error-code`. */
  code: string
  sentence: string
  /** The faults by parameter; empty if no parameter is at fault. */
  errors: readonly ParameterError[]
}

const PLAIN = 'application/json'
const PROBLEM = 'application/problem+json'

/**
 * The body of a failure: `{ error }`, or problem details (RFC 9457) if the client prefers those.
 * @param baseUrl of the service, below which the guide to errors is.
 */
export function toFailureBody(failure: Failure, requestId: string, { accept }: IncomingHttpHeaders, baseUrl: string) {
  const { statusCode: status, code, sentence, errors } = failure
  if (!wantsProblem(accept)) return { type: `${PLAIN}; charset=utf-8`, body: JSON.stringify({ error: sentence }) }
  const type = toServiceUrl(baseUrl, `/docs/guides/errors#${code}`)
  const body = { type, title: toTitle(code), status, detail: sentence, instance: requestId, errors }
  return { type: `${PROBLEM}; charset=utf-8`, body: JSON.stringify(body) }
}

export const wantsProblem = (accept: string | undefined) => prefersType(accept, PROBLEM, PLAIN)

/** `malformed_url`: "Malformed URL". */
const toTitle = (code: string) =>
  `${code.charAt(0).toUpperCase()}${code.slice(1)}`
    .replaceAll('_', ' ')
    .replace(/\b(url|http)\b/, (word) => word.toUpperCase())

/** It uses the styles of the documentation, which is always served. */
export const NOT_FOUND_POLICY =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self'; style-src 'self'"

/** Whether the client is a browser: only browsers ask for HTML by name. */
export const wantsPage = ({ method, headers }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true

/** The page for a requested URL that does not exist. */
export const toNotFoundPage = (sentence: string, url: string) =>
  toRelativeHtml(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Page not found · Reward Campaigns</title>
<meta name="description" content="This page does not exist. The explorer, the reference and the guides do.">
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<header class="top"><a class="brand" href="/">Reward Campaigns</a><nav aria-label="Service"><a href="/docs">Reference</a> <a href="/docs/guides">Guides</a></nav></header>
<main class="alone">
<h1>Page not found</h1>
<p>${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.</p>
<p>You may be looking for the <a href="/">explorer</a>, the <a href="/docs">reference</a> or the <a href="/docs/guides">guides</a>.</p>
</main>
</body>
</html>
`.text,
    url,
  )
