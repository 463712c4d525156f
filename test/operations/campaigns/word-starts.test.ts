import { expect, test } from 'vitest'
import { aCampaign, anErc20Incentive, aToken } from '../../setup/records.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'

/*
 * Where a word of a name starts, besides at its beginning: behind an apostrophe, a hyphen, an underscore or a quotation mark,
 * as they are typed and as they are set.
 */

const SEPARATORS = {
  apostrophe: "'",
  'typographic apostrophe': '’',
  'reversed apostrophe': '‘',
  'modifier letter apostrophe': 'ʼ',
  'turned comma': 'ʻ',
  'full-width apostrophe': '＇',
  prime: '′',
  grave: '`',
  acute: '´',
  hyphen: '-',
  'typographic hyphen': '‐',
  'hyphen that does not break': '‑',
  'en dash': '–',
  'em dash': '—',
  'minus sign': '−',
  underscore: '_',
  'full-width underscore': '＿',
  'quotation mark': '"',
  'English quotation mark': '“',
  'German quotation mark': '„',
  guillemet: '«',
  'turned guillemet': '»',
  'single guillemet': '‹',
  'corner bracket': '「',
  'full-width quotation mark': '＂',
  'Hebrew geresh': '׳',
}

const names = Object.entries(SEPARATORS)

async function found(api: BorrowedTestApp, search: string): Promise<string[]> {
  const response = await api.get(
    `/campaigns?tokenWhitelist=false&pageSize=100&fields=campaignName&search=${encodeURIComponent(search)}`,
  )
  expect(response.statusCode, response.body).toBe(200)
  return response.json().campaigns.map(({ campaignName }: { campaignName: string }) => campaignName)
}

test('a word starts behind an apostrophe, a hyphen, an underscore and a quotation mark of any kind', async () => {
  await using api = await borrowTestApp()
  const titles = names.map(([, mark], index) => `Take l${mark}argent${index} home`)
  await api.save(...titles.map((campaignName) => aCampaign({ campaignName })))
  for (const [index, [name]] of names.entries()) {
    expect(await found(api, `argent${index}`), name).toContain(titles[index])
    expect(await found(api, `ARGENT${index} take`), name).toContain(titles[index])
    expect(await found(api, `rgent${index}`), name).toEqual([])
  }
})

test('a word in quotation marks is found with them and without, at the beginning and at the end of a name', async () => {
  await using api = await borrowTestApp()
  const quoted = ['"gold" rush', '“gold” rush', '„gold“ rush', '«gold» rush', 'rush “gold”', "rush 'gold'"]
  await api.save(...quoted.map((campaignName) => aCampaign({ campaignName })))
  expect((await found(api, 'gold')).sort()).toEqual([...quoted].sort())
  expect((await found(api, 'rush gol')).sort()).toEqual([...quoted].sort())
  // A mark above the line is compared as the one that is typed.
  expect((await found(api, '"gold')).sort()).toEqual(['"gold" rush', '“gold” rush', 'rush “gold”'].sort())
})

test('a typographic apostrophe of a search finds what is written with any, and a typed one is refused', async () => {
  await using api = await borrowTestApp()
  await api.save(...["Rock'n'roll", 'Rock’n’roll'].map((campaignName) => aCampaign({ campaignName })))
  for (const search of ['rock’n', 'rock’n’roll', 'roll', 'n’ro']) {
    expect((await found(api, search)).sort(), search).toEqual(["Rock'n'roll", 'Rock’n’roll'])
  }
  const refused = await api.get(`/campaigns?search=${encodeURIComponent("rock'n")}`)
  expect(refused.statusCode).toBe(400)
})

test('so does a word of a name or symbol of a token that a campaign pays', async () => {
  await using api = await borrowTestApp()
  const token = aToken({ name: 'Coin “Sunrise”', symbol: 'USD_late-X' })
  const campaign = aCampaign({ campaignName: 'Pays', incentives: [anErc20Incentive(token.address)] })
  await api.save(token, campaign)
  for (const search of ['sunrise', 'late', 'x', 'usd_la']) expect(await found(api, search), search).toEqual(['Pays'])
  for (const search of ['unrise', 'ate']) expect(await found(api, search), search).toEqual([])
})
