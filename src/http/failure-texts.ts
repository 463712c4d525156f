import { html } from 'reward-campaigns-strict-http/markup'
import { toRelativeHtml, toServiceUrl } from 'reward-campaigns-strict-http/relative-links'
import type { ErrorOptions } from 'reward-campaigns-strict-http/request/errors/error-handling'
import { ClientClosedError } from 'reward-campaigns-strict-http/request/errors/errors'
import {
  describeFailure,
  isCancelled,
  isDatabaseUnreachable,
  SchemaBehindError,
} from '../database/connection/database-errors.ts'
import { DatabaseUnavailableError, SchemaOutdatedError } from './service-errors.ts'

/** What describes an error of a service with this base URL: the section on its code in the guide. */
export const problemTypeOf = (baseUrl: string) => (code: string) => toServiceUrl(baseUrl, `/docs/guides/errors#${code}`)

/** What this service says of its failures, and of those of its database. */
export const errorOptionsOf = (baseUrl: string): ErrorOptions => ({
  toProblemType: problemTypeOf(baseUrl),
  notFoundPage: { policy: NOT_FOUND_POLICY, render: toNotFoundPage },
  toKnown,
  describe: describeFailure,
})

function toKnown(thrown: unknown) {
  if (isCancelled(thrown)) return new ClientClosedError()
  if (isDatabaseUnreachable(thrown)) return new DatabaseUnavailableError()
  return thrown instanceof SchemaBehindError ? new SchemaOutdatedError() : undefined
}

/** It uses the styles of the documentation, which is always served. */
const NOT_FOUND_POLICY =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self'; style-src 'self'"

/** The page for a requested URL that does not exist. */
const toNotFoundPage = (sentence: string, url: string) =>
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
