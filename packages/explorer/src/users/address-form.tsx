import { useLocation } from 'preact-iso'

/** Asks for an account. @param toUrl the page of it. */
export function AddressForm({
  address,
  toUrl,
  label,
}: {
  address: string | undefined
  toUrl: (address: string) => string
  label: string
}) {
  const { route } = useLocation()
  const onSubmit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    route(toUrl(String(new FormData(event.currentTarget).get('address')).trim().toLowerCase()))
  }
  return (
    <form class="filters" onSubmit={onSubmit} aria-label={label}>
      <label class="wide">
        Address
        <input
          name="address"
          defaultValue={address ?? ''}
          key={address}
          placeholder="0x…"
          pattern="\s*0x[a-fA-F0-9]{40}\s*"
          title="An address: 0x and 40 hexadecimal digits"
          autocomplete="off"
          spellcheck={false}
          required
        />
      </label>
      <button type="submit">Show</button>
    </form>
  )
}
