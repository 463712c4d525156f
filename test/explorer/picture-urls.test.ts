import { expect, test } from 'vitest'
import { drawnPicture } from '../../packages/explorer/src/pictures/drawn-pictures.ts'
import { firstPicture, pictureUrl } from '../../packages/explorer/src/pictures/picture-urls.ts'

test.each([
  ['https://images.test/a.png', ['images.test'], true],
  ['https://images.test/a.png', [], false],
  ['https://images.test/a.png', ['other.test'], false],
  ['https://a.images.test/a.png', ['images.test'], false],
  ['https://a.images.test/a.png', ['*.images.test'], true],
  ['https://a.b.images.test/a.png', ['*.images.test'], true],
  ['https://images.test/a.png', ['*.images.test'], false],
  ['https://evilimages.test/a.png', ['*.images.test'], false],
  ['https://images.test:8443/a.png', ['images.test'], false],
  ['https://images.test:8443/a.png', ['images.test:8443'], true],
  ['https://IMAGES.test:443/a.png', ['images.test'], true],
  ['https://images.test@evil.test/a.png', ['images.test'], false],
  ['http://images.test/a.png', ['images.test'], false],
  ['ipfs://images.test/a.png', ['images.test'], false],
  ['javascript:alert(1)', ['images.test'], false],
  ['no URL', ['images.test'], false],
  ['', ['images.test'], false],
  [null, ['images.test'], false],
  [undefined, ['images.test'], false],
])('%s of %o is loaded: %s', (uri, hosts, isLoaded) => {
  expect(pictureUrl(uri, hosts)).toBe(isLoaded ? new URL(String(uri)).href : undefined)
})

test('pictures of sample data are drawn, each in its own way, unless the operator has such a host', () => {
  const uri = 'https://images.example/tokens/usdc.png'
  const drawn = pictureUrl(uri, [])
  expect(drawn).toBe(drawnPicture('/tokens/usdc.png'))
  expect(drawn).toMatch(/^data:image\/svg\+xml,%3Csvg%20[\w%.()~*'-]+%3C%2Fsvg%3E$/)
  expect(pictureUrl('https://images.example/tokens/weth.png', [])).not.toBe(drawn)
  expect(pictureUrl(uri, ['images.example'])).toBe(uri)
})

test('the first picture that may be loaded is shown', () => {
  const uris = [null, 'https://other.test/a.png', 'https://images.test/b.png', 'https://images.test/c.png']
  expect(firstPicture(uris, ['images.test'])).toBe('https://images.test/b.png')
  expect(firstPicture(uris, [])).toBeUndefined()
})
