import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from 'reward-campaigns-strict-http/content/negotiation'
import { createRepresentations } from 'reward-campaigns-strict-http/content/representations'
import { createPage, toRelativeUrl } from 'reward-campaigns-strict-http/relative-links'
import { describeFailure } from '../../database/connection/database-errors.ts'
import { serviceLinksOf, toLinkHeader } from '../../http/service-links.ts'
import type { ExplorerRepository } from './explorer-repository.ts'
import { type PageHead, toHeadElements } from './page-head.ts'

const CAMPAIGN_PATH = '/explorer/campaigns/:id'
const CAMPAIGN_ID = /^[1-9][0-9]{0,15}:0x[a-f0-9]{40}:(0|[1-9][0-9]{0,77})$/i

/** The placeholder for head elements in the page. */
const HEAD_MARK = '<!-- title and description of the page -->'

/** Pages with a constant head; the script finds out which of them it is. */
const HEADS: Record<string, PageHead> = {
  '/': {
    title: 'Earn',
    description: 'On-chain reward campaigns: those with most left to claim, and what is being claimed right now.',
  },
  '/explorer/campaigns': {
    title: 'Campaigns',
    description: 'All on-chain reward campaigns, with filters by chain, token, owner, channel and what has to be done.',
  },
  '/explorer/contracts': {
    title: 'Contracts',
    description: 'The contracts that reward campaigns target, by claims, US dollars and newest campaign.',
  },
  '/explorer/users': {
    title: 'Rewards',
    description: 'What an account can claim of on-chain reward campaigns, why not, and what it has claimed.',
  },
  // The address of an account is not checked here: the page requests its data.
  '/explorer/users/:address': {
    title: 'Rewards of an account',
    description: 'What an account can claim of on-chain reward campaigns, why not, and what it has claimed.',
  },
  '/explorer/chains': {
    title: 'Chains',
    description: 'How far each chain has been indexed: newest block, head, final block and lag.',
  },
}

/** Not served if lookups of addresses are switched off. */
const USER_PAGES = '/explorer/users'

const ANY_CAMPAIGN: PageHead = {
  title: 'Campaign',
  description: 'A reward campaign: what it pays, what is left, who may claim and what has to be done.',
}

/** What its pages may load and request: only this service, and pictures of some hosts. */
const policyOf = (imageHosts: readonly string[]) =>
  "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; connect-src 'self'; " +
  `img-src ${["'self'", 'data:', ...imageHosts.map((host) => `https://${host}`)].join(' ')}; ` +
  "script-src 'self'; style-src 'self'"

interface PageSettings {
  hasAddressLookups: boolean
  /** Hosts that pages may load pictures from. */
  imageHosts: readonly string[]
}

interface ExplorerOptions extends PageSettings {
  campaigns: ExplorerRepository
  surfaces: readonly string[]
}

/** The page with what its script has to know of the settings. */
const withSettings = (page: string, { hasAddressLookups, imageHosts }: PageSettings) =>
  page.replace(
    '<html',
    [
      '<html',
      ...(hasAddressLookups ? [] : ['data-address-lookups="off"']),
      ...(imageHosts.length === 0 ? [] : [`data-image-hosts="${imageHosts.join(' ')}"`]),
    ].join(' '),
  )

/**
 * The explorer: pages for people at `/`, which use the public operations of this service. Programs, and everybody if
 * there is no folder, are redirected from `/` to the documentation. Names of scripts and styles contain a hash, so they
 * may be cached; the page is revalidated each time. The head of a campaign's page contains its name.
 */
export async function serveExplorer(
  app: FastifyInstance,
  folder: string | undefined,
  { campaigns, hasAddressLookups, imageHosts, surfaces }: ExplorerOptions,
) {
  const hidden = { schema: { hide: true } }
  const links = serviceLinksOf(surfaces)
  const lead = ({ url }: FastifyRequest, reply: FastifyReply) => reply.header('link', toLinkHeader(links, url))
  if (folder === undefined) {
    app.get('/', hidden, async (request, reply) => lead(request, reply).redirect(toRelativeUrl('/docs', request.url)))
    return
  }
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/explorer/assets/',
    // These files and no others: a path leads nowhere else, however it is written.
    wildcard: false,
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
    schemaHide: true,
  })
  const everywhere = await readFile(join(folder, 'explorer.html'), 'utf8')
  const policy = policyOf(imageHosts)
  const shell = withSettings(everywhere, { hasAddressLookups, imageHosts })
  // Its tag depends on the content: files of two versions can have the same size and time.
  const toPage = (head: PageHead) =>
    createPage(
      shell.replace(HEAD_MARK, () => toHeadElements(head)),
      'text/html; charset=utf-8',
    )
  const representations = createRepresentations('public, no-cache', { isLasting: true })
  async function send(request: FastifyRequest, reply: FastifyReply, page: ReturnType<typeof createPage>) {
    void reply.header('content-security-policy', policy)
    await representations.send(request, reply, page(request.url))
    return reply
  }

  for (const [url, head] of Object.entries(HEADS)) {
    if (!hasAddressLookups && url.startsWith(USER_PAGES)) continue
    const page = toPage(head)
    app.get(url, hidden, async (request, reply) => {
      if (url !== '/') return send(request, reply, page)
      addVary(reply, 'accept')
      void lead(request, reply)
      // Only browsers request pages by name.
      return request.headers.accept?.includes('text/html')
        ? send(request, reply, page)
        : reply.redirect(toRelativeUrl('/docs', request.url))
    })
  }

  const anyCampaign = toPage(ANY_CAMPAIGN)
  app.get<{ Params: { id: string } }>(CAMPAIGN_PATH, hidden, async (request, reply) => {
    const { id } = request.params
    try {
      const head = CAMPAIGN_ID.test(id) ? await campaigns.findHead(id.toLowerCase()) : undefined
      if (head !== undefined) return await send(request, reply, toPage(head))
      // The script reports that there is no such campaign.
      const absent = anyCampaign(request.url)
      return await reply
        .headers({ 'content-security-policy': policy, 'cache-control': 'no-store', 'x-error-code': 'not_found' })
        .code(404)
        .type(absent.type)
        .send(absent.plain)
    } catch (error) {
      // The page itself reports what it cannot show.
      request.log.warn({ reason: describeFailure(error) }, 'page served without campaign title')
      return send(request, reply, anyCampaign)
    }
  })
}
