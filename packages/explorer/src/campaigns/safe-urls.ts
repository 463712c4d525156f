/** Whether a stranger's text may become a link: `https` alone does no harm where it leads. */
export function isSafeUrl(text: string): boolean {
  try {
    return new URL(text).protocol === 'https:'
  } catch {
    return false
  }
}
