import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ListAccessListsResponse } from '../../../src/features/access-lists/access-list-schemas.ts'
import type { AccessListRecord } from '../../../src/ingest/records.ts'
import { anAccessList, anAddress, inUpperCase } from '../../setup/records.ts'
import { repeated } from '../../setup/repetitions.ts'
import { type BorrowedTestApp, borrowTestApp } from '../../setup/test-app.ts'
import { bearing, issueToken } from '../../setup/tokens.ts'

const PATH = '/campaigns/accesslists'
const FORBIDDEN = [...":&|'!()<>"]

/** The app with a token of `user-1` and one of an administrator. */
interface Api extends BorrowedTestApp {
  own: string
  admin: string
}

async function startApi(): Promise<Api> {
  const api = await borrowTestApp()
  return { ...api, own: await issueToken(api, { userId: 'user-1' }), admin: await issueToken(api, { isAdmin: true }) }
}

const ask = (api: Api, query = '', secret = api.own) => api.get(`${PATH}?${query}`, bearing(secret))

async function list(api: Api, query = '', secret = api.own): Promise<ListAccessListsResponse['accesslists']> {
  const response = await ask(api, query, secret)
  expect(response.statusCode, response.body).toBe(200)
  const body: ListAccessListsResponse = response.json()
  expect(Object.keys(body)).toEqual(['accesslists'])
  if (body.accesslists.length < 1000) {
    expect(response.headers['x-total-count']).toBe(String(body.accesslists.length))
  }
  return body.accesslists
}

const idsOf = (lists: { id: string }[]) => lists.map(({ id }) => id)
const found = async (api: Api, query = '', secret = api.own) => idsOf(await list(api, query, secret))

async function refused(api: Api, query: string, secret = api.own, status = 400): Promise<string> {
  const response = await ask(api, query, secret)
  expect(response.statusCode, `${query}: ${response.body}`).toBe(status)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.headers['cache-control']).toBe('private, no-store')
  const body = response.json()
  expect(Object.keys(body)).toEqual(['error'])
  return body.error
}

/** An app that several tests ask; each user in it belongs to one test. */
let shared: Api
beforeAll(async () => {
  shared = await startApi()
})
afterAll(() => shared[Symbol.asyncDispose]())

test('an item has every key, with what the record says', async () => {
  await using api = await startApi()
  await api.save(
    {
      type: 'accessList',
      id: 'Early Adopters',
      userId: 'user-1',
      name: ' Early "Adopters" ',
      createdAt: '2026-01-31T12:00:00.1239Z',
      icon: 'https://images.example/list.png',
      members: [anAddress('a'), anAddress('b')],
    },
    { type: 'accessList', id: 'least', userId: 'user-1', name: '', createdAt: '2025-01-31T12:00:00Z' },
    anAccessList({ userId: 'user-2' }),
  )
  const response = await ask(api)
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(response.headers['cache-control']).toBe('private, no-store')
  expect(response.headers['x-total-count']).toBe('2')
  expect(response.headers.etag).toBeUndefined()
  expect(response.json()).toEqual({
    accesslists: [
      {
        id: 'Early Adopters',
        name: ' Early "Adopters" ',
        memberCount: 2,
        createdAt: '2026-01-31T12:00:00.123Z',
        icon: 'https://images.example/list.png',
      },
      { id: 'least', name: '', memberCount: 0, createdAt: '2025-01-31T12:00:00.000Z', icon: '' },
    ],
  })
})

test('the answer is an empty list and the total 0 when nothing matches', async () => {
  const own = await issueToken(shared, { userId: 'nobody' })
  for (const query of ['', 'search=x', 'sortBy=totalMembers&orderBy=ASC']) {
    const response = await ask(shared, query, own)
    expect(response.statusCode).toBe(200)
    expect(response.headers['x-total-count']).toBe('0')
    expect(response.json()).toEqual({ accesslists: [] })
  }
})

describe('the user', () => {
  beforeAll(() =>
    shared.save(
      ...['user-1', 'User-1', 'user-2'].map((userId) => anAccessList({ id: `of ${userId}`, userId })),
      anAccessList({ id: 'of a long one', userId: '🎉'.repeat(128) }),
    ),
  )

  test('is that of the token by default, and may be named', async () => {
    expect(await found(shared)).toEqual(['of user-1'])
    expect(await found(shared, 'userId=user-1')).toEqual(['of user-1'])
  })

  test.each(['user-2', 'User-1', 'USER-1', 'user-1%20', '%20user-1', 'user-1,user-1', 'nobody', '%25'])(
    'may be no other one: userId=%s',
    async (userId) => {
      expect(await refused(shared, `userId=${userId}`, shared.own, 403)).toContain('userId')
    },
  )

  test('may be any one for an administrator, by the exact ID', async () => {
    expect(await found(shared, 'userId=user-1', shared.admin)).toEqual(['of user-1'])
    expect(await found(shared, 'userId=User-1', shared.admin)).toEqual(['of User-1'])
    expect(await found(shared, 'userId=user-2', shared.admin)).toEqual(['of user-2'])
    expect(await found(shared, 'userId=USER-2', shared.admin)).toEqual([])
    expect(await found(shared, 'userId=%25', shared.admin)).toEqual([])
    expect(await found(shared, 'userId=null', shared.admin)).toEqual([])
  })

  test('must be named by an administrator, also one who has lists', async () => {
    await shared.save(anAccessList({ userId: 'admin-with-lists' }))
    const admin = await issueToken(shared, { userId: 'admin-with-lists', isAdmin: true })
    expect(await refused(shared, '', admin)).toContain('userId')
    expect(await refused(shared, 'search=test', admin)).toContain('userId')
    expect(await list(shared, 'userId=admin-with-lists', admin)).toHaveLength(1)
  })

  test('has an ID of at most 128 characters, not bytes or UTF-16 units', async () => {
    const long = encodeURIComponent('🎉'.repeat(128))
    expect(await found(shared, `userId=${long}`, shared.admin)).toEqual(['of a long one'])
    expect(await refused(shared, `userId=${long}x`, shared.admin)).toContain('userId')
  })
})

describe('a search', () => {
  const searched = encodeURIComponent
  /** The names that a search finds among the lists of a user. */
  const namesFound = async (userId: string, search: string) =>
    (await list(shared, `userId=${searched(userId)}&search=${searched(search)}`, shared.admin)).map(({ name }) => name)

  test('finds the names in which every word starts a word', async () => {
    const names = ['Gold Members', 'Golden Gate members', 'Old members', 'Marigold', 'Members of gold']
    await shared.save(...names.map((name, index) => anAccessList({ id: `gold ${index}`, userId: 'gold', name })))
    expect(await namesFound('gold', 'gold')).toEqual(['Gold Members', 'Golden Gate members', 'Members of gold'])
    expect(await namesFound('gold', 'gold mem')).toEqual(['Gold Members', 'Golden Gate members', 'Members of gold'])
    expect(await namesFound('gold', 'mem gold')).toEqual(['Gold Members', 'Golden Gate members', 'Members of gold'])
    expect(await namesFound('gold', 'm o g')).toEqual(['Members of gold'])
    expect(await namesFound('gold', 'Members of gold')).toEqual(['Members of gold'])
    expect(await namesFound('gold', 'gold x')).toEqual([])
  })

  const matches: [name: string, yes: string[], no: string[]][] = [
    ['Gold Members', ['g', 'GOLD', 'gOlD', 'gold  members', ' gold ', '\tgold\n', 'gold gold g'], ['old', 'embers']],
    ['Gold Members', ['gold\u00a0members', 'gold\u3000members', 'gold\u2028members'], ['goldmembers', 'gold_members']],
    ['Zürich Crème', ['zurich', 'ZÜRICH', 'zu\u0308rich', 'creme', 'CRÈME', 'cre\u0300me', 'cr\u00e8'], ['rich']],
    ['Zu\u0308rich Cre\u0300me', ['zurich', 'zürich', 'crème', 'cre\u0300me'], ['ri']],
    ['Zurich', ['zürich', 'zu\u0308'], ['zuerich']],
    ['Straße Łódź Æther Øre', ['strasse', 'STRASSE', 'straße', 'lodz', 'aether', 'ore'], []],
    ['ISTANBUL İstanbul ışık', ['istanbul', 'İSTANBUL', 'isik'], []],
    ['early-adopters/beta_testers (v2.1)', ['adopters', 'beta', 'testers', 'v2', '1', 'v2.1'], []],
    [
      'early-adopters/beta_testers (v2.1)',
      ['early-ad', 'adopters/beta', 'beta_t'],
      ['dopters', '2', '-adopters', '.1'],
    ],
    ['season2025', ['season', 'season20'], ['2025', '25']],
    ['100% sure', ['100%', '100', '100% s'], ['%', '1%', '100%%', '00', '1_0%']],
    ['foo_bar', ['foo_', 'foo_bar', 'bar'], ['foo%', 'foo_b_r', 'f_o', '_', 'foobar']],
    ['a*b **bold**', ['a*', 'a*b', '**', '**b', 'bold', 'b'], ['a**', 'x*', '*b*']],
    ['back\\slash', ['back\\', 'back\\s', 'slash', 'b'], ['\\', 'back\\\\', 'backs']],
    ['% _ * \\', ['%', '_', '*', '\\', '* _'], ['%%', 'a']],
    [
      '"quoted" `ticks` $money #tag @you',
      ['"quoted"', 'quoted"', 'ticks', '$m', 'money', '#tag', 'tag', '@you'],
      ['"t'],
    ],
    ["O'Brien & Sons: <b> (a|b) !x", ['brien', 'sons', 'b', 'a', 'x', 'o', 'so s'], ['obrien', 'rien']],
    ["don''t; drop table access_lists--", ['drop', 'table', 'don', 't;', 'lists--'], ['on']],
    ['МОСКВА Ёлка', ['москва', 'Мос', 'елка', 'ёлка', 'Е\u0308ЛКА'], ['осква', 'mockba']],
    ['Αθήνα ΟΔΟΣΑ', ['αθηνα', 'ΑΘΗΝΑ', 'Αθή', 'οδος', 'οδοσ', 'ΟΔΟΣ'], ['θηνα']],
    ['Οδός', ['ΟΔΟΣ', 'οδοσ', 'οδος'], ['δος']],
    ['東京タワー がき', ['東京', '東', '東京タ', 'がき', 'か\u3099き'], ['京', 'タワー', 'き', 'か', 'かき']],
    ['한국 사용자', ['한', '한국', '사용'], ['국', '하', '용자']],
    ['हिन्दी भाषा', ['हिन्दी', 'भा'], ['दी', 'षा']],
    ['עִבְרִית العربية', ['עִב', 'العر'], ['ربية']],
    ['ไทย', ['ไท'], ['ทย']],
    ['Ｆｕｌｌ　ｗｉｄｔｈ １２', ['full', 'WIDTH', 'ｆｕｌｌ', '12', 'ＷＩＤＴＨ'], ['ull', '2']],
    ['half width', ['ｈａｌｆ', 'ｗ'], ['ａｌｆ']],
    ['ｶﾞｷﾞ', ['ガギ', 'ガ', 'ｶﾞ'], ['カ', 'ギ']],
    ['ﬁnal Ⅻ', ['final', 'fi', 'xii'], ['inal', 'ii']],
    ['🎉party ❤️love', ['🎉', 'party', '🎉p', 'love', '❤️'], ['arty']],
    ['', [' ', '\t', '\u00a0', '\u0085', '\u0301'], ['a', '%', '_']],
    ['anything', [' ', '    ', '\u3000', '\n', '\u0301 \u0308'], []],
    ['x'.repeat(4096), ['x', 'x'.repeat(128)], [`${'x'.repeat(127)}y`]],
    [`${'x-'.repeat(2047)}y`, ['y', 'x', 'x-x-x', 'x-y'], ['z', '-x', 'y-']],
  ]
  beforeAll(() => shared.save(...matches.map(([name], index) => anAccessList({ userId: `match ${index}`, name }))))
  for (const [index, [name, yes, no]] of matches.entries()) {
    test(`compares words without case and accents: ${JSON.stringify(name.slice(0, 60))} ${yes[0]}`, async () => {
      const finding: string[] = []
      for (const search of [...yes, ...no]) {
        if ((await namesFound(`match ${index}`, search)).length === 1) finding.push(search)
      }
      expect(finding).toEqual(yes)
    })
  }

  test('goes with a user, a sort field and an order', async () => {
    const userId = 'combining'
    const member = (count: number) => Array.from({ length: count }, (_, index) => anAddress(index))
    await shared.save(
      anAccessList({ id: 'combined 1', userId, name: 'gold a', members: member(2) }),
      anAccessList({ id: 'combined 2', userId, name: 'silver', members: member(1) }),
      anAccessList({ id: 'combined 3', userId, name: 'all gold', members: member(3) }),
      anAccessList({ id: 'combined 4', userId: 'another', name: 'gold', members: member(1) }),
    )
    const query = `userId=${userId}&search=gold&sortBy=totalMembers`
    expect(await found(shared, query, shared.admin)).toEqual(['combined 3', 'combined 1'])
    expect(await found(shared, `${query}&orderBy=ASC`, shared.admin)).toEqual(['combined 1', 'combined 3'])
  })

  test('has 1 to 128 characters, not bytes or UTF-16 units', async () => {
    expect(await found(shared, `search=${'x'.repeat(128)}`)).toEqual([])
    expect(await found(shared, `search=${searched('🎉'.repeat(128))}`)).toEqual([])
    expect(await found(shared, `search=${searched('ﬃ'.repeat(128))}`)).toEqual([])
    expect(await refused(shared, `search=${'x'.repeat(129)}`)).toMatch(/search.*1 to 128 characters/)
    expect(await refused(shared, `search=${searched('🎉'.repeat(129))}`)).toMatch(/search.*1 to 128 characters/)
    expect(await refused(shared, 'search=')).toMatch(/search.*1 to 128 characters/)
    expect(await refused(shared, 'search')).toMatch(/search.*1 to 128 characters/)
  })

  test.each(FORBIDDEN)('with the character %s is refused, and the message names it', async (character) => {
    for (const search of [character, `gold ${character}`, `${character}${character}`, `a${character}b`]) {
      expect(await refused(shared, `search=${searched(search)}`)).toBe(
        `search must not contain any of : & | ' ! ( ) < >, found ${character}`,
      )
    }
  })

  test('with several forbidden characters is refused, and the message names just those', async () => {
    expect(await refused(shared, `search=${searched('a<b> & (c')}`)).toBe(
      "search must not contain any of : & | ' ! ( ) < >, found & ( < >",
    )
    expect(await refused(shared, `search=${searched(FORBIDDEN.toReversed().join(''))}`)).toBe(
      "search must not contain any of : & | ' ! ( ) < >, found : & | ' ! ( ) < >",
    )
  })

  test('may have any other character, also one that becomes a forbidden one without its width', async () => {
    const others = Array.from({ length: 0x17f }, (_, code) => String.fromCharCode(code + 1)).filter(
      (one) => !FORBIDDEN.includes(one),
    )
    for (const one of [...others, '：', '＆', '｜', '＇', '！', '（', '）', '＜', '＞', '’', '«', '©', '\uffff']) {
      expect(await found(shared, `search=${searched(`zzz${one}`)}`), one).toEqual([])
    }
  })

  /*
   * An independent model, for characters of which it is certain: ASCII, letters of Latin-1 that are a letter of ASCII and
   * an accent, and combining accents.
   */
  const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const wordsOf = (text: string) =>
    fold(text)
      .split(/\s+/)
      .filter((word) => word !== '')
  const startsOf = (word: string) =>
    [...word].flatMap((character, index) => {
      const isStart = index === 0 || (/[a-z0-9]/.test(character) && /[^a-z0-9]/.test(word.charAt(index - 1)))
      return isStart ? [word.slice(index)] : []
    })
  const isFound = (name: string, search: string) => {
    const starts = wordsOf(name).flatMap(startsOf)
    return wordsOf(search).every((word) => starts.some((start) => start.startsWith(word)))
  }

  const ascii = Array.from({ length: 95 }, (_, code) => String.fromCharCode(code + 32))
  const accented = [...'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöùúûüýÿ']
  const combining = ['\u0300', '\u0301', '\u0308', '\u030a', '\u0327', '\u0328']
  const character = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...'aAbBéÉ') },
    { weight: 3, arbitrary: fc.constantFrom(' ', ' ', '-', '\t', '\n') },
    { weight: 2, arbitrary: fc.constantFrom(...ascii) },
    { weight: 1, arbitrary: fc.constantFrom(...accented) },
    { weight: 1, arbitrary: fc.constantFrom(...combining) },
    { weight: 1, arbitrary: fc.constantFrom(...'\\\'"&|!:*()<>%_') },
  )
  const textOf = (maxLength: number) =>
    fc.array(character, { minLength: 1, maxLength }).map((characters) => characters.join(''))

  test('finds what a plain model finds, whatever the names and the words', async () => {
    const names = fc.sample(textOf(24), { numRuns: repeated(150, 400), seed: 20_260_131 })
    const userId = 'modelled'
    await shared.save(
      ...names.map((name, index) => anAccessList({ id: `model ${String(index).padStart(3, '0')}`, userId, name })),
    )
    const part = fc
      .tuple(fc.constantFrom(...names), fc.nat(20), fc.integer({ min: 1, max: 8 }))
      .map(([name, from, length]) => name.slice(from, from + length))
    const search = fc
      .array(fc.oneof(part, textOf(4)), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join(' ').replace(/[:&|'!()<>]/g, ''))
      .filter((text) => text !== '')
    const sizes = new Set<number>()
    await fc.assert(
      fc.asyncProperty(search, async (text) => {
        const expected = names.filter((name) => isFound(name, text))
        const lists = await list(shared, `userId=${userId}&search=${searched(text)}`, shared.admin)
        expect(lists.map(({ name }) => name)).toEqual(expected)
        sizes.add(expected.length)
      }),
      { numRuns: repeated(150, 400) },
    )
    // Else the comparison would say little.
    expect(sizes.size).toBeGreaterThan(repeated(10, 20))
    expect(sizes.has(0)).toBe(true)
  })
})

describe('the order', () => {
  const member = (count: number) => Array.from({ length: count }, (_, index) => anAddress(index))
  const lists = [
    { id: 'old, many', createdAt: '2025-01-01T00:00:00.000Z', members: member(3) },
    { id: 'new, none', createdAt: '2025-01-03T00:00:00.000Z', members: [] },
    { id: 'middle, some', createdAt: '2025-01-02T00:00:00.001Z', members: member(2) },
    { id: 'middle, few', createdAt: '2025-01-02T00:00:00.000Z', members: member(1) },
  ]
  let own: string
  beforeAll(async () => {
    await shared.save(...lists.map((parts) => anAccessList({ ...parts, userId: 'ordering' })))
    own = await issueToken(shared, { userId: 'ordering' })
  })

  const newest = ['new, none', 'middle, some', 'middle, few', 'old, many']
  const largest = ['old, many', 'middle, some', 'middle, few', 'new, none']
  test.each([
    ['', newest],
    ['orderBy=DESC', newest],
    ['orderBy=desc', newest],
    ['orderBy=dEsC', newest],
    ['orderBy=ASC', newest.toReversed()],
    ['orderBy=asc', newest.toReversed()],
    ['orderBy=Asc', newest.toReversed()],
    ['sortBy=totalMembers', largest],
    ['sortBy=totalMembers&orderBy=desc', largest],
    ['sortBy=totalMembers&orderBy=ASC', largest.toReversed()],
    ['orderBy=aSC&sortBy=totalMembers', largest.toReversed()],
  ])('with "%s" is by creation or by members, in the direction asked for', async (query, expected) => {
    expect(await found(shared, query, own)).toEqual(expected)
  })

  test('of equal lists is by ID, ascending by code points, in every direction', async () => {
    const ids = ['a', 'A', 'B', 'b', 'Z', '10', '9', 'é', 'e\u0301', '_', '-', '~', '\uff5e', '🎉', 'ä', 'aa', 'a b']
    const byCodePoints = ids.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    expect(byCodePoints.indexOf('🎉')).toBeGreaterThan(byCodePoints.indexOf('\uff5e'))
    await shared.save(...ids.map((id) => anAccessList({ id, userId: 'equal' })))
    const equal = await issueToken(shared, { userId: 'equal' })
    for (const query of ['', 'orderBy=ASC', 'sortBy=totalMembers', 'sortBy=totalMembers&orderBy=ASC', 'search=test']) {
      expect(await found(shared, query, equal), query).toEqual(byCodePoints)
    }
  })
})

describe('at most 1,000 lists are answered, and x-total-count tells of all', () => {
  const COUNT = 1205
  const id = (index: number) => `list ${String(index).padStart(4, '0')}`
  beforeAll(() =>
    shared.save(
      ...Array.from({ length: COUNT }, (_, index) =>
        anAccessList({
          id: id(index),
          userId: 'many',
          name: index < 1001 ? `common ${index}` : `rare ${index}`,
          createdAt: new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString(),
          members: index % 100 === 0 ? [anAddress('a')] : [],
        }),
      ),
    ),
  )

  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => id(from + index))
  const all = range(0, COUNT - 1)
  const larger = all.filter((_, index) => index % 100 === 0)
  test.each([
    ['', '1205', all.toReversed().slice(0, 1000)],
    ['&orderBy=ASC', '1205', all.slice(0, 1000)],
    ['&sortBy=totalMembers', '1205', [...larger, ...all.filter((one) => !larger.includes(one))].slice(0, 1000)],
    ['&search=common', '1001', range(1, 1000).toReversed()],
    ['&search=rare', '204', range(1001, COUNT - 1).toReversed()],
    ['&search=common%2010', '12', [...range(100, 109), id(1000), id(10)].toSorted().toReversed()],
  ])('with "%s"', async (query, total, expected) => {
    const response = await ask(shared, `userId=many${query}`, shared.admin)
    expect(response.statusCode, response.body).toBe(200)
    expect(response.headers['x-total-count']).toBe(total)
    expect(response.headers['access-control-expose-headers']).toContain('x-total-count')
    expect(idsOf(response.json().accesslists)).toEqual(expected)
  })
})

test('memberCount is exact, also of very many members, each counted once in whatever case it is repeated', async () => {
  const count = repeated(20_000, 100_000)
  const members = Array.from(
    { length: count },
    (_, index) => `0x${index.toString(16).padStart(8, '0').padStart(40, 'a')}`,
  )
  await shared.save(
    anAccessList({ userId: 'counting', id: 'large', members: [...members, ...members.slice(0, 50).map(inUpperCase)] }),
    anAccessList({ userId: 'counting', id: 'small', members: [anAddress('a'), inUpperCase(anAddress('a'))] }),
  )
  const counted = await list(shared, 'userId=counting&sortBy=totalMembers', shared.admin)
  expect(counted.map(({ id, memberCount }) => [id, memberCount])).toEqual([
    ['large', count],
    ['small', 1],
  ])
})

test('an import is seen by the next request, and a list that is replaced is what the new record says', async () => {
  const own = await issueToken(shared, { userId: 'replacing' })
  const first = anAccessList({
    id: 'replaced',
    userId: 'replacing',
    name: 'First name',
    icon: 'https://images.example/first.png',
    createdAt: '2025-01-01T00:00:00.000Z',
    members: [anAddress('a'), anAddress('b')],
  })
  expect(await list(shared, '', own)).toEqual([])
  await shared.save(first)
  const listed = ({ id, name, createdAt, icon, members }: AccessListRecord) => {
    return { id, name, memberCount: members?.length ?? 0, createdAt, icon: icon ?? '' }
  }
  expect(await list(shared, '', own)).toEqual([listed(first)])

  const { icon: _, ...second } = { ...first, name: 'Second', createdAt: '2024-06-01T00:00:00.000Z', members: [] }
  await shared.save(second)
  expect(await list(shared, '', own)).toEqual([listed(second)])
  expect(await list(shared, 'search=first', own)).toEqual([])
  expect(await list(shared, 'search=second', own)).toEqual([listed(second)])

  await shared.save({ ...second, userId: 'another owner' })
  expect(await list(shared, '', own)).toEqual([])
  expect(await list(shared, 'userId=another%20owner', shared.admin)).toEqual([listed(second)])
})

describe('a parameter is refused, and the message names it', () => {
  const longest = 'x'.repeat(129)
  test.each([
    ['sortBy=', 'sortBy', 'totalMembers'],
    ['sortBy', 'sortBy', 'totalMembers'],
    ['sortBy=null', 'sortBy', 'totalMembers'],
    ['sortBy=TotalMembers', 'sortBy', 'totalMembers'],
    ['sortBy=createdAt', 'sortBy', 'totalMembers'],
    ['sortBy=totalMembers,totalMembers', 'sortBy', 'totalMembers'],
    ['sortBy=totalMembers%20', 'sortBy', 'totalMembers'],
    ['sortBy=totalMembers&sortBy=totalMembers', 'sortBy', 'once'],
    ['orderBy=', 'orderBy', 'ASC or DESC'],
    ['orderBy=null', 'orderBy', 'ASC or DESC'],
    ['orderBy=ascending', 'orderBy', 'ASC or DESC'],
    ['orderBy=%20asc', 'orderBy', 'ASC or DESC'],
    ['orderBy=asc%0A', 'orderBy', 'ASC or DESC'],
    ['orderBy=DE%C5%BFC', 'orderBy', 'ASC or DESC'],
    ['orderBy=ASC,DESC', 'orderBy', 'ASC or DESC'],
    ['orderBy=ASC&orderBy=ASC', 'orderBy', 'once'],
    ['userId=', 'userId', '1 to 128'],
    [`userId=${longest}`, 'userId', '1 to 128'],
    ['userId=user-1&userId=user-1', 'userId', 'once'],
    ['search=', 'search', '1 to 128'],
    [`search=${longest}`, 'search', '1 to 128'],
    ['search=a&search=a', 'search', 'once'],
    ['search[]=a', 'search', 'unknown'],
    ['sortby=totalMembers', 'sortby', 'sortBy'],
    ['user=user-1', 'user', 'userId'],
    ['page=1', 'page', 'userId, search, sortBy, orderBy'],
    ['__proto__=1', '__proto__', 'userId, search, sortBy, orderBy'],
    ['search=%00', 'NUL', 'NUL'],
    ['search=%zz', 'search', 'percent-encoding'],
    ['search=%ff', 'search', 'percent-encoding'],
  ])('%s', async (query, name, allowed) => {
    const message = await refused(shared, query)
    expect(message).toContain(name)
    expect(message).toContain(allowed)
  })

  test('together with all others that are wrong', async () => {
    const message = await refused(shared, 'sortBy=x&orderBy=y&search=a|b&userId=&page=1')
    for (const name of ['sortBy', 'orderBy', 'search', 'userId', 'page']) expect(message).toContain(name)
  })

  test('for another user too, before the user is looked at', async () => {
    expect(await refused(shared, 'userId=user-2&sortBy=x')).toContain('sortBy')
  })

  test('after the token: without one the answer is 401', async () => {
    const response = await shared.get(`${PATH}?sortBy=x`)
    expect(response.statusCode).toBe(401)
    expect(response.headers['cache-control']).toBe('private, no-store')
    expect(Object.keys(response.json())).toEqual(['error'])
  })
})

test('an answer is private and kept nowhere, whatever it is', async () => {
  for (const [query, status] of [
    ['', 200],
    ['userId=user-2', 403],
    ['sortBy=x', 400],
  ] as const) {
    const response = await ask(shared, query)
    expect(response.statusCode).toBe(status)
    expect(response.headers['cache-control']).toBe('private, no-store')
    expect(response.headers.etag).toBeUndefined()
  }
})
