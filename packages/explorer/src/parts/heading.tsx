import { useEffect } from 'preact/hooks'
import { Name } from './name.tsx'

/** What turns text around: in a title of a window nothing keeps it to itself. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** What a page is about, in it and in the title of the window. Who comes to a page starts reading here. */
export function Heading({ title }: { title: string }) {
  useEffect(() => {
    document.title = `${title.replace(DIRECTIONS, '')} · Reward Campaigns`
  }, [title])
  return (
    <h1 tabIndex={-1}>
      <Name text={title} />
    </h1>
  )
}
