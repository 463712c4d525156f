import { useAsked } from '../asked.ts'
import { client } from '../service.ts'
import { Shown } from '../shown.tsx'

export function ContractsPage() {
  const asked = useAsked((signal) => client.listContracts({ pageSize: 20 }, { signal }), 'contracts')
  return (
    <>
      <h1>Contracts</h1>
      <Shown asked={asked}>
        {(contracts) => (
          <ul>
            {contracts.map(({ chainId, address, name }) => (
              <li key={`${chainId}:${address}`}>{name}</li>
            ))}
          </ul>
        )}
      </Shown>
    </>
  )
}
