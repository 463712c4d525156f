import { toUrl } from './campaign-query.ts'

/** What the default leaves out is said, with the way to see it. */
export function HiddenByDefault({ parameters }: { parameters: URLSearchParams }) {
  const whitelist = parameters.get('tokenWhitelist') ?? ''
  if (!['', 'null', 'true'].includes(whitelist)) return null
  const all = new URLSearchParams(parameters)
  all.delete('page')
  all.set('tokenWhitelist', 'false')
  return (
    <p class="soft note">
      Campaigns that pay unknown or unlisted tokens are hidden. <a href={toUrl(all)}>Show them too</a>
    </p>
  )
}
