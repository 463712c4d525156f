import { useEffect } from 'preact/hooks'

/** What a page is about, in it and in the title of the window. Who comes to a page starts reading here. */
export function Heading({ title }: { title: string }) {
  useEffect(() => {
    document.title = `${title} · Reward Campaigns`
  }, [title])
  return (
    <h1 tabIndex={-1}>
      <bdi>{title}</bdi>
    </h1>
  )
}
