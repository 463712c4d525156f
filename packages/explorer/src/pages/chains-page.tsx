import { useAsked } from '../asked.ts'
import { client } from '../service.ts'
import { Shown } from '../shown.tsx'

export function ChainsPage() {
  const asked = useAsked((signal) => client.getStatus({ signal }), 'status')
  return (
    <>
      <h1>Chains</h1>
      <Shown asked={asked}>
        {({ chains }) =>
          chains.length === 0 ? (
            <p>No chain is followed here: what there is was imported.</p>
          ) : (
            <ul>
              {chains.map(({ chainId, state }) => (
                <li key={chainId}>
                  {chainId}: {state}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </>
  )
}
