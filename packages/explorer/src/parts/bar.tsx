/** How large a part is, as a bar. The figures stand beside it, so it is nothing to those who do not see it. */
export function Bar({ share }: { share: number }) {
  const percent = Math.min(Math.max(share, 0), 1) * 100
  return (
    <svg class="bar" aria-hidden="true">
      <rect class="ground" width="100%" height="100%" />
      {percent > 0 && <rect width={`${percent.toFixed(2)}%`} height="100%" />}
    </svg>
  )
}
