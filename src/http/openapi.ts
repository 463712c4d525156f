import type { FastifyInstance } from 'fastify'
import { collectContracts, publishDocument, serveDocument } from 'reward-campaigns-strict-http/openapi/collect-openapi'
import type { Family } from 'reward-campaigns-strict-http/openapi/shared-components'
import { incentiveVariants } from '../schemas/campaigns/incentives.ts'
import { version } from '../schemas/version.ts'

/** What protected operations say of their security in the document. */
export const bearerToken = { bearerToken: [] }

/** What the command `notify` sends: the server itself never sends a request. */
const changeWebhook = {
  post: {
    operationId: 'receiveChange',
    summary: 'Receive a change',
    description:
      'The command `notify` posts each change as a Standard Webhook, in order, until the receiver returns 2xx; a repeated one has the same `webhook-id`.',
    tags: ['Status'],
    security: [],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object' as const,
            required: ['type', 'timestamp', 'data'],
            properties: {
              type: { type: 'string' as const, maxLength: 64, description: 'The kind of the change.' },
              timestamp: { type: 'string' as const, format: 'date-time', description: 'When it was committed.' },
              data: { $ref: '#/components/schemas/Change' },
            },
          },
        },
      },
    },
    responses: { '2XX': { description: 'Received. After any other status the change is sent again.' } },
  },
}

/** Who answers questions about the service; undefined where the settings name nobody. */
function toContact({ CONTACT_NAME: name, CONTACT_URL: url, CONTACT_EMAIL: email }: ContactSettings) {
  const contact = { ...(name && { name }), ...(url && { url }), ...(email && { email }) }
  return Object.keys(contact).length === 0 ? undefined : contact
}

interface ContactSettings {
  CONTACT_NAME?: string | undefined
  CONTACT_URL?: string | undefined
  CONTACT_EMAIL?: string | undefined
}

/** What only the validator of the service understands. */
const INTERNALS = {
  keywords: new Set([
    'x-expected',
    'x-lower-case',
    'x-forbidden-characters',
    'x-any-case',
    'x-not-with',
    'x-json-maximum',
    'x-default-later',
    'x-suggested',
  ]),
  formats: new Set(['uint256', 'unix-seconds', 'chain-first']),
}

/** The variants of incentives that have a property. */
const variantsWith = (property: string) =>
  new RegExp(
    `^(${incentiveVariants.flatMap(({ $id, properties }) => (property in properties ? [$id] : [])).join('|')})$`,
  )

/** Objects that have many properties in common: the name of what these are, its description, and which they are. */
const FAMILIES: readonly Family[] = [
  ['CampaignBase', 'What a campaign has in lists and in its detail.', /^Campaign(ListItem|Detail)$/],
  ['TokenIncentive', 'What every incentive that pays a token has.', variantsWith('totalAmountClaimed')],
  ['CriteriaIncentive', 'What every incentive has whose reward depends on the action.', variantsWith('criteria')],
  ['PeggedIncentive', 'What every incentive has whose reward follows the price of another asset.', variantsWith('peg')],
  ['AmountSource', 'Where an amount is read from.', /^Criteria(WithValueType)?$/],
  ['Finding', 'Whether an account can claim an incentive.', /^(IncentiveEligibility|Reward)$/],
  ['ClaimedSum', 'What was claimed of a token.', /^Reward(Total)?$/],
  ['OfIncentive', 'Which incentive it is of.', /^(Claim|ChangedClaim|Reward)$/],
  ['ClaimFacts', 'What is known of every claim.', /^(Claim|ChangedClaim)$/],
  ['TokenFacts', 'What is known of every token.', /^(TokenMetadata|ListedToken)$/],
]

/** Collects the contract of every route that is registered after it into one OpenAPI document. */
export async function collectOpenApi(app: FastifyInstance, settings: ContactSettings) {
  const contact = toContact(settings)
  await collectContracts(
    app,
    {
      openapi: '3.1.0',
      info: {
        title: 'Reward Campaign Service',
        version,
        description: [
          'Read-only access to on-chain reward campaigns: who funds them, which actions they require, and what can be ' +
            'claimed. No API key is needed; only access lists and profiles need a token. Operations are `GET` requests, and ' +
            'responses are JSON.',
          [
            '| Subject | Rule |',
            '| --- | --- |',
            '| Amounts | Decimal strings of base units, with every digit. Read them as big integers, never as ' +
              'floating-point numbers. `decimals` of a token is how many digits follow the point. |',
            '| Addresses | `0x` and 40 hexadecimal digits, in upper or lower case, returned lower-case. A campaign ID is ' +
              '`<chainId>:<campaignCoreAddress>:<identifier>`. |',
            '| Lists | A parameter that is a list takes comma-separated values, and may be repeated. Campaigns, ' +
              'contracts and tokens come in pages of up to 100 (`pageSize`), with `page` from 1; they shift when data changes. Claims ' +
              'and rewards come with a `nextCursor`, which is the `cursor` of the next page. To read all campaigns exactly once, begin ' +
              'with `/campaigns?cursor=start&tokenWhitelist=false` and go on with `nextCursor`. |',
            '| Errors | Every error is `{ "error": "<one sentence>" }`, or problem details (RFC 9457) with ' +
              '`Accept: application/problem+json`. Programs read the code in `x-error-code`. An unknown parameter is an error. ' +
              'If you may retry, `Retry-After` says when. Every response has an `x-request-id`. |',
            '| Freshness | A response shows everything that was committed before its request arrived. Responses that ' +
              'may be cached have an `ETag` for `If-None-Match`. If chains are indexed, `x-as-of` names the block of each, and `minBlock` ' +
              'requires one. |',
          ].join('\n'),
        ].join('\n\n'),
        ...(contact && { contact }),
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: [{ url: '/' }],
      security: [],
      webhooks: { change: changeWebhook },
      components: {
        securitySchemes: {
          bearerToken: {
            type: 'http',
            scheme: 'bearer',
            description: 'A token issued by the operator (`reward-campaigns token create`).',
          },
        },
      },
      tags: [
        { name: 'Campaigns', description: 'Campaigns and their details.' },
        { name: 'Contracts', description: 'Contracts that campaigns act on.' },
        { name: 'Tokens', description: 'Prices of tokens over time.' },
        {
          name: 'Accounts',
          description: 'What accounts have claimed and can claim. This is public: no token is needed.',
        },
        {
          name: 'Export',
          description:
            'Everything, as NDJSON records that `import` takes, or with `Accept: text/csv` as a table. A page is of one ' +
            'snapshot; `Link` leads to the next, `x-changes-cursor` to later changes.',
        },
        { name: 'Status', description: 'Indexing status and service limits.' },
        { name: 'Users', description: 'Access lists and profile of a user. These two operations need a token.' },
      ],
    },
    INTERNALS,
  )
}

/** The document as it is published, with what the served operations need; `app.swagger()` has everything in its place. */
export const toOpenApi = (app: FastifyInstance) => publishDocument(app, FAMILIES, withoutUnusedWebhook)

/** `/openapi.json` and `/openapi.yaml`. */
export const serveOpenApi = (app: FastifyInstance) => serveDocument(app, () => toOpenApi(app))

/** What is posted are the changes, of which a service without `/changes` says nothing. */
function withoutUnusedWebhook<T extends { paths?: object; webhooks?: object }>(document: T) {
  if (Object.keys(document.paths ?? {}).includes('/changes')) return document
  const { webhooks: _, ...rest } = document
  return rest
}
