import { describe, expect, test } from 'vitest'
import { refusalOf } from '../../setup/refusals.ts'
import { entriesOf, first, lists } from '../../setup/requests/list-parameters.ts'

describe.each(lists)('$path: $name', ({ path, name, values, max = 100 }) => {
  const [one, two] = values
  const refused = (query: string) => {
    const user = path === '/eligibility' ? `&user=${first}` : ''
    return refusalOf(`${path.replace('{address}', first)}?${query}${user}`)
  }

  test(`has at most ${max} entries in all`, async () => {
    expect(await refused(entriesOf({ name, values }, max + 1))).toMatch(new RegExp(`${name}.*${max}`))
  })

  test.each(['', '%20', 'x%27,'])('is refused where a repeated entry is empty or wrong: "%s"', async (entry) => {
    const sentence = await refused(`${name}=${one}&${name}=${entry}&${name}=${two}`)
    expect(sentence).toContain(`an entry of ${name} must be`)
    expect(sentence).toContain('got ""')
  })

  test(`is not known by the name ${name}[0]`, async () => {
    expect(await refused(`${name}[0]=${one}&${name}[1]=${two}`)).toContain(
      `unknown parameter "${name}[0]", did you mean ${name}?`,
    )
  })
})
