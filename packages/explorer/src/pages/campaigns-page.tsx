import './campaigns.css'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type LocationHook, useLocation } from 'preact-iso'
import { queryOf, toQuery } from '../campaigns/campaign-query.ts'
import { CampaignRows } from '../campaigns/campaign-rows.tsx'
import { CampaignChips } from '../campaigns/filters/campaign-chips.tsx'
import { Counts } from '../campaigns/filters/facets/facet-counts.ts'
import { type Counted, REQUESTED_FACETS } from '../campaigns/filters/facets/facet-options.ts'
import { type Entered, enteredUrl, symbolIn } from '../campaigns/filters/filter-entries.ts'
import { FilterForm } from '../campaigns/filters/filter-form.tsx'
import { FiltersInSearch } from '../campaigns/filters/filters-in-search.tsx'
import { HiddenByDefault } from '../campaigns/filters/hidden-by-default.tsx'
import { TokenSearch } from '../campaigns/filters/token-search.tsx'
import { counted } from '../campaigns/prose.ts'
import { withTokens } from '../campaigns/tokens/token-records.ts'
import { pageOf, withQuery } from '../navigation/page-query.ts'
import { Pager } from '../navigation/pager.tsx'
import { Heading } from '../parts/heading.tsx'
import { ApiRequests } from '../requests/api-requests.tsx'
import { HowToImport } from '../requests/how-to-import.tsx'
import type { RequestState } from '../requests/poll-request.ts'
import { Empty, Shown } from '../requests/request-result.tsx'
import { client } from '../requests/service.ts'
import { useRequest } from '../requests/use-request.ts'

/** Entries on a page where the address does not say; the service's own. */
const PAGE_SIZE = '10'

const WITHOUT_RESPONSE = { loading: 'Campaigns', failed: 'No list' } as const

export function CampaignsPage() {
  const { url, route, wasPush } = useLocation() as LocationHook & { wasPush: boolean }
  const parameters = queryOf(url)
  const query = { ...toQuery(parameters), ...REQUESTED_FACETS }
  const request = useRequest(
    async (signal) => withTokens(client, await client.listCampaigns(query, { signal }), signal),
    url,
  )
  // What was sent and is not in the address yet: it names a token by its symbol.
  const [sent, setSent] = useState<Entered>()
  useEffect(() => setSent(undefined), [url])
  const symbol = sent && symbolIn(sent)
  const typed = useRef('')
  function send(entered: Entered, isTyped: boolean) {
    const isClear = symbolIn(entered) === undefined
    setSent(isClear ? undefined : entered)
    const next = enteredUrl(entered)
    if (!isClear || next === url) return
    // Who goes back leaves all that was typed of a search, not a letter of it.
    route(next, isTyped && typed.current === url)
    typed.current = isTyped ? next : ''
  }
  const results = useFocusOnNewResults(url, wasPush)
  // Made again only for another address: what is being typed stays while the list is asked for again.
  const form = useMemo(() => <FilterForm parameters={parameters} send={send} />, [url])
  const counts = useCounts(request)
  const isEmpty = request.state === 'shown' && request.response.totalCampaigns === 0
  const page = pageOf(parameters.get('page') ?? undefined)
  const pageSize = Number(parameters.get('pageSize') || PAGE_SIZE)
  return (
    <>
      <Heading title="Campaigns" />
      <Counts.Provider value={counts}>{form}</Counts.Provider>
      {sent !== undefined && symbol !== undefined && (
        <TokenSearch entered={sent} symbol={symbol} send={(entered) => send(entered, false)} />
      )}
      <CampaignChips parameters={parameters} />
      <section class="results" aria-labelledby="results">
        <h2 id="results" tabIndex={-1} ref={results} aria-live="polite">
          {request.state === 'shown'
            ? counted(request.response.totalCampaigns, 'campaign')
            : WITHOUT_RESPONSE[request.state]}
        </h2>
        {query.sortBy === 'ending-soon' && (
          <p class="soft note">In this order, campaigns without an end date are left out.</p>
        )}
        {request.state !== 'failed' && <HiddenByDefault parameters={parameters} isEmpty={isEmpty} />}
        <Shown request={request} lines={Math.min(pageSize || 1, 12)}>
          {({ campaigns, totalCampaigns, tokens }) => (
            <>
              {campaigns.length === 0 ? (
                <Empty>
                  {isEmpty && <FiltersInSearch parameters={parameters} />}
                  <p>{isEmpty ? 'No campaign passes these filters.' : 'There is none on this page.'}</p>
                  {isEmpty && query.showActiveOnly === true && (
                    <p>
                      Those that are not active are left out: <a href={alsoInactive(url)}>show them too</a>.
                    </p>
                  )}
                  <HowToImport />
                </Empty>
              ) : (
                <CampaignRows campaigns={campaigns} tokens={tokens} />
              )}
              {pageSize > 0 && totalCampaigns > 0 && (
                <Pager page={page} pageSize={pageSize} total={totalCampaigns} what="campaigns" />
              )}
            </>
          )}
        </Shown>
      </section>
      <ApiRequests requests={[{ method: 'listCampaigns', path: '/campaigns', query }]} />
    </>
  )
}

const alsoInactive = (url: string) => withQuery(url, { showActiveOnly: 'false', page: undefined })

/** The counts of the last response: the values stay while others are on their way, and without counts after a failure. */
function useCounts(request: RequestState<Counted>): Counted {
  const last = useRef<Counted>({})
  if (request.state === 'shown') last.current = request.response
  return request.state === 'failed' ? { ...last.current, isKnown: false } : last.current
}

/**
 * Who has gone on to another list, not by the form, goes on reading at its heading.
 *
 * @param wasPush false for who goes back, who keeps their place.
 */
function useFocusOnNewResults(url: string, wasPush: boolean) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(url)
  useEffect(() => {
    if (shown.current === url) return
    shown.current = url
    if (document.activeElement?.closest('form') == null) heading.current?.focus({ preventScroll: !wasPush })
  }, [url])
  return heading
}
