import type { FastifyRequest } from 'fastify'
import { html } from './markup.ts'

/** It uses the styles of the documentation, which is always served. */
export const NOT_FOUND_POLICY =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; img-src 'self'; style-src 'self'"

/** Whether the client is a browser: only browsers ask for HTML by name. */
export const wantsPage = ({ method, headers }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true

/** The page for a link to a page that does not exist. */
export const toNotFoundPage = (sentence: string) =>
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
<main>
<h1>Page not found</h1>
<p>${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.</p>
<p>You may be looking for the <a href="/">explorer</a>, the <a href="/docs">reference</a> or the <a href="/docs/guides">guides</a>.</p>
</main>
</body>
</html>
`.text
