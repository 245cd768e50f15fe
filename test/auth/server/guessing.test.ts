/** Wrong secrets from many networks, concurrently, and from browsers in which a person signed in before. */
import { describe, expect, it } from 'vitest'
import { createAppObjects } from '../../../durable-objects/app-objects.ts'
import { createAuthServices } from '../../../durable-objects/auth-services.ts'
import { apiKey, personalAccessTokens } from '../../../src/auth/index.ts'
import { guessCounts } from '../../../src/auth/server/secret-guess.ts'
import { Browser, type Fields, formOf, type Page } from './support/browser.ts'
import { AuthClient } from './support/client.ts'
import {
  advance,
  type Bindings,
  createBindings,
  GUEST_PASSPHRASE,
  ORIGIN,
  openDeployment,
  PASSPHRASE,
} from './support/deployment.ts'
import { LOGIN } from './support/flow.ts'
import { OF_TEST } from './support/scoped-objects.ts'

const DEVICE = '__Host-edgeway-device'
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const FLOODED = '203.0.113.7'
const from = (address: string) => ({ 'cf-connecting-ip': address })

function open() {
  const bindings = createBindings()
  const server = openDeployment({}, { bindings })
  const services = createAuthServices(() =>
    createAppObjects(bindings, { audience: '', ...OF_TEST }),
  )
  const throttle = services(bindings).accounts?.throttle
  if (throttle === undefined) throw new Error('There are no throttle objects')
  /** Enters a passphrase in a new browser, or in one that has a device cookie. */
  const enter = async (address: string, passphrase: string, device?: string): Promise<number> => {
    const browser = new Browser(server)
    if (device !== undefined) browser.cookies.set(DEVICE, device)
    const { csrf } = formOf(await browser.get('/account'))
    return (await browser.post('/login', { csrf, passphrase }, from(address))).status
  }
  /** Counts wrong passphrases one after the other, as the pages do, and returns how many are checked. */
  const checked = async (addresses: Iterable<string>): Promise<number> => {
    let count = 0
    for (const address of addresses) {
      const [{ key }, ...wider] = guessCounts(new Request(ORIGIN, { headers: from(address) }))
      if ((await throttle.guess(key, false, wider)).allowed) count += 1
    }
    return count
  }
  /** The device cookie of a person who signs in from an address of its own. */
  const signIn = async (passphrase = PASSPHRASE, at = new Browser(server)): Promise<string> => {
    const { csrf } = formOf(await at.get('/account'))
    const page = await at.post('/login', { csrf, passphrase }, from('192.0.2.99'))
    expect(page.status).toBe(303)
    return at.cookies.get(DEVICE) ?? ''
  }
  const flood = (times = 10) => checked(addresses(1, times, () => FLOODED))
  return { server, enter, checked, signIn, flood }
}

/** Addresses in equal turns: `times` of each of `count` networks. */
function* addresses(count: number, times: number, of: (network: number) => string) {
  for (let time = 0; time < times; time += 1) {
    for (let network = 0; network < count; network += 1) yield of(network)
  }
}
const hex = (value: number) => value.toString(16)

describe('wrong passphrases', () => {
  it.each([
    ['60 IPv6 addresses of one /64', 10, (at: number) => `2001:db8:5:1::${hex(at)}`],
    ['60 IPv6 /64 of one /48', 40, (at: number) => `2001:db8:5:${hex(at * 256)}::1`],
    ['60 IPv6 /64 of one /56', 20, (at: number) => `2001:db8:5:${hex(at)}::1`],
    ['60 IPv6 /48 of one /32', 80, (at: number) => `2001:db8:${hex(at)}::1`],
    ['60 IPv4 addresses of one /24', 40, (at: number) => `198.51.100.${at}`],
    ['60 IPv6 /32', 400, (at: number) => `${hex(0x2001 + at)}:db8::1`],
    ['60 IPv4 /24', 400, (at: number) => `198.51.${at}.1`],
  ])('of %s are checked %i times', async (_, expected, of) => {
    const turns = Math.ceil(expected / 60) + 2
    expect(await open().checked(addresses(60, turns, of))).toBe(expected)
  })

  it.each([
    ['another IPv4 address', false, FLOODED, '203.0.113.8'],
    ['another IPv6 network', false, '2001:db8:0:1::1', '2001:db8:0:2::1'],
    ['a network that differs in its first group', false, '::1', '1::1'],
    ['a request without an address', false, FLOODED, null],
    ['an address that cannot be read', false, null, 'x'],
    ['requests without an address', true, null, null],
    ['addresses of one /64', true, '2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff'],
    ['spellings of one /64', true, '2001:DB8::1:0:0:0:1', '2001:0db8:0000:0001::'],
    ['addresses without a zero group', true, '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:6:5:4:3'],
    ['loopback addresses', true, '::1', '::'],
    ['addresses that cannot be read', true, 'x', 'y'],
    ['an IPv4 address and its spelling in IPv6', true, FLOODED, `::ffff:${FLOODED}`],
  ])('for %s are counted together: %s', (_, together, one, other) => {
    const keyOf = (address: string | null) =>
      guessCounts(new Request(ORIGIN, { headers: address === null ? {} : from(address) }))[0].key
    expect(keyOf(one) === keyOf(other)).toBe(together)
  })

  it('of one IPv6 /32 do not make another network wait, however many they are', async () => {
    const { checked, enter } = open()
    for (let round = 0; round < 6; round += 1) {
      await checked(addresses(90, 1, (at) => `2001:db8:${hex(at)}::${hex(round)}`))
      advance(5 * MINUTE_MS)
    }
    expect(await enter('2001:db8:ffff::1', PASSPHRASE)).toBe(429)
    expect(await enter('2001:db9::1', PASSPHRASE)).toBe(303)
    expect(await enter('203.0.113.7', PASSPHRASE)).toBe(303)
  })

  it('of one address do not make its neighbours in the next wider network wait', async () => {
    const { checked, enter } = open()
    for (let minute = 0; minute < 60; minute += 1) {
      await checked(['203.0.113.7', '2001:db8:5:100::1'])
      advance(MINUTE_MS)
    }
    expect(await enter('203.0.113.8', PASSPHRASE)).toBe(303)
    expect(await enter('2001:db8:5:101::1', PASSPHRASE)).toBe(303)
  })

  it('are reported to telemetry one by one, and so are the refused attempts', async () => {
    const { server, enter } = open()
    for (let at = 0; at < 11; at += 1) await enter(FLOODED, `secret guess ${at}`)
    const event = (reason: string, message: string) => ({
      type: 'sign-in-refused',
      reason,
      message,
    })
    expect(server.events.filter(({ type }) => type === 'sign-in-refused')).toEqual([
      ...Array(10).fill(event('passphrase-wrong', 'The passphrase is wrong.')),
      event('passphrase-throttled', 'Too many attempts. Please wait 1 minute.'),
    ])
  })
})

describe('a browser in which a person has signed in before', () => {
  async function openFlooded() {
    const deployment = open()
    const device = await deployment.signIn()
    await deployment.flood(11)
    expect(await deployment.enter(FLOODED, PASSPHRASE)).toBe(429)
    return { ...deployment, device }
  }

  it('signs that person in while its network waits, and no other person', async () => {
    const { enter, device } = await openFlooded()
    expect(await enter(FLOODED, PASSPHRASE, device)).toBe(303)
    expect(await enter(FLOODED, GUEST_PASSPHRASE, device)).toBe(401)
  })

  it('signs that person in while all networks wait', async () => {
    const { enter, checked, signIn } = open()
    const device = await signIn()
    await checked(addresses(60, 9, (at) => `198.51.${at}.1`))
    expect(await enter('192.0.2.1', PASSPHRASE)).toBe(429)
    expect(await enter('192.0.2.1', PASSPHRASE, device)).toBe(303)
  })

  it('learns that a passphrase is wrong while its network waits, ten times', async () => {
    const { enter, device } = await openFlooded()
    const statuses: number[] = []
    for (let at = 0; at < 12; at += 1) statuses.push(await enter(FLOODED, 'wrong', device))
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect(await enter(FLOODED, PASSPHRASE, device)).toBe(429)
  })

  it('counts its wrong passphrases for its network too, in which others may sign in before', async () => {
    const { enter, signIn } = open()
    const device = await signIn()
    expect(await enter(FLOODED, GUEST_PASSPHRASE, device)).toBe(303)
    for (let at = 0; at < 10; at += 1) expect(await enter(FLOODED, 'wrong', device)).toBe(401)
    expect(await enter(FLOODED, PASSPHRASE)).toBe(429)
  })

  it('gives one person no guesses at the passphrase of another by signing in again', async () => {
    const { enter, signIn } = await openFlooded()
    for (let at = 0; at < 12; at += 1) {
      const device = await signIn(GUEST_PASSPHRASE)
      expect(await enter(FLOODED, PASSPHRASE, device)).toBe(401)
    }
  })

  it.each([
    ['90 days after the sign-in', DAY_MS * 90, (device: string) => device],
    ['with a changed cookie', 0, (device: string) => `x${device}`],
    ['with a made-up cookie', 0, () => 'made-up'],
    ['with a repeated cookie', 0, (device: string) => `${device}; ${DEVICE}=${device}`],
  ])('is no known device %s', async (_, age, change) => {
    const { enter, flood, signIn } = open()
    const device = await signIn()
    advance(age)
    await flood()
    expect(await enter(FLOODED, PASSPHRASE, change(device))).toBe(429)
  })

  it('is no known device with the login cookie, and the reverse', async () => {
    const { server, enter, flood, signIn } = open()
    const browser = new Browser(server)
    const device = await signIn(PASSPHRASE, browser)
    await flood()
    expect(await enter(FLOODED, PASSPHRASE, browser.cookies.get(LOGIN) ?? '')).toBe(429)
    const other = new Browser(server)
    other.cookies.set(LOGIN, device)
    expect((await other.get('/account')).actions).toEqual(['/login'])
  })

  it('stays a known device after signing out', async () => {
    const { server, enter, flood, signIn } = open()
    const browser = new Browser(server)
    await signIn(PASSPHRASE, browser)
    await browser.post('/logout', formOf(await browser.get('/account')))
    await flood()
    expect(await enter(FLOODED, PASSPHRASE, browser.cookies.get(DEVICE))).toBe(303)
  })
})

describe('a configured passphrase with 11 characters', () => {
  const SHORT = 'x'.repeat(11)
  const openWith = (origin: string, bindings: Bindings) => {
    const server = openDeployment({ origin, login: undefined }, { bindings })
    return { server, browser: new Browser(server, origin) }
  }

  it('is accepted by no page of a host that is not loopback, which says why', async () => {
    const bindings = createBindings({ EDGEWAY_PASSPHRASE: SHORT })
    const { server, browser } = openWith(ORIGIN, bindings)
    const page = await browser.get('/account')
    expect([page.status, page.actions]).toEqual([503, []])
    expect(page.html).toContain('has fewer than 12 characters')
    expect(page.html).not.toContain(SHORT)
    const long = openWith(ORIGIN, { ...bindings, EDGEWAY_PASSPHRASE: PASSPHRASE })
    const { csrf } = formOf(await long.browser.get('/account'))
    const before = long.browser.at(server)
    const refused = await before.post('/login', { csrf, passphrase: SHORT })
    expect([refused.status, refused.actions]).toEqual([503, []])
    expect(server.events).toContainEqual({
      type: 'sign-in-refused',
      reason: 'passphrase-too-short',
      message: expect.stringContaining('has fewer than 12 characters'),
    })
  })

  it('is accepted on a loopback host', async () => {
    const bindings = createBindings({ EDGEWAY_PASSPHRASE: SHORT })
    const { browser } = openWith('http://localhost:8787', bindings)
    expect((await browser.signIn(SHORT)).status).toBe(303)
  })
})

/** A service whose verifications wait until the test lets them end. */
class SlowService {
  /** Keys whose verification has begun. */
  readonly begun: string[] = []
  isBroken = false
  #answered = 0
  #held: PromiseWithResolvers<void> | undefined
  #onProgress: () => void = () => undefined

  readonly login = apiKey({
    verify: async (key) => {
      this.begun.push(key)
      this.#onProgress()
      await this.#held?.promise
      if (this.isBroken) throw new Error('The service is down')
      return ['ada', 'bob'].includes(key) ? { subject: key } : undefined
    },
  })

  /** Sends the requests together, ends no verification before each is verified or answered. */
  async together(requests: readonly (() => Promise<Page>)[]): Promise<readonly number[]> {
    this.begun.length = 0
    this.#answered = 0
    this.#held = Promise.withResolvers()
    const settled = new Promise<void>((resolve) => {
      this.#onProgress = () => {
        if (this.begun.length + this.#answered === requests.length) resolve()
      }
    })
    const answers = requests.map(async (send) => {
      const { status } = await send()
      this.#answered += 1
      this.#onProgress()
      return status
    })
    await settled
    this.#held.resolve()
    this.#held = undefined
    return Promise.all(answers)
  }
}

describe('API keys that are sent together', () => {
  function openSlow() {
    const service = new SlowService()
    const server = openDeployment({ login: service.login, features: [personalAccessTokens()] })
    /** A browser that has loaded the page of the sign-in, and sends a key. */
    const ready = async (api_key: string, device?: string) => {
      const browser = new Browser(server)
      if (device !== undefined) browser.cookies.set(DEVICE, device)
      const { csrf } = formOf(await browser.get('/account'))
      return () => browser.post('/login', { csrf, api_key }, from(FLOODED))
    }
    const send = async (key: string) => (await ready(key))().then(({ status }) => status)
    const signIn = async (api_key: string) => {
      const browser = new Browser(server)
      const { csrf } = formOf(await browser.get('/account'))
      await browser.post('/login', { csrf, api_key }, from('192.0.2.99'))
      return browser
    }
    const together = async (keys: readonly string[], device?: string) =>
      service.together(await Promise.all(keys.map((key) => ready(key, device))))
    return { service, server, send, signIn, together }
  }

  const wrongKeys = (count: number) => Array.from({ length: count }, (_, at) => `wrong ${at}`)
  const countOf = (statuses: readonly number[], ...wanted: readonly number[]) =>
    statuses.filter((one) => wanted.includes(one)).length

  it('are verified ten times from one network, the right key among the others too', async () => {
    const { service, together } = openSlow()
    const statuses = await together([...wrongKeys(59), 'ada'])
    expect(service.begun).toHaveLength(10)
    expect([countOf(statuses, 429), countOf(statuses, 401, 303)]).toEqual([50, 10])
  })

  const TOKEN = { name: 'CI', 'scope read': 'yes', lifetime: String(7 * DAY_MS) }
  it.each<[string, string, Fields]>([
    ['the page that replaces a key', '/account/key', {}],
    ['the form of personal access tokens', '/account/tokens', TOKEN],
    ['the consent page', '/authorize/decision', { decision: 'approve' }],
  ])('are verified ten times on %s', async (_, path, fields) => {
    const { service, server, signIn } = openSlow()
    const client = await AuthClient.register(server)
    const browser = await signIn('ada')
    browser.cookies.delete(DEVICE)
    const requests = await Promise.all(
      wrongKeys(30).map(async (api_key) => {
        const isConsent = path === '/authorize/decision'
        const page = await (isConsent ? client.authorize(browser) : browser.get('/account'))
        const form = { ...formOf(page), ...fields, api_key }
        return () => browser.post(path, form, from(FLOODED))
      }),
    )
    const statuses = await service.together(requests)
    expect([service.begun.length, countOf(statuses, 429)]).toEqual([10, 20])
  })

  it('are verified ten times on the known device of a person, whose network is full', async () => {
    const { service, signIn, together, send } = openSlow()
    const device = (await signIn('ada')).cookies.get(DEVICE)
    for (const key of wrongKeys(10)) await send(key)
    expect(await together(['ada'], device)).toEqual([303])
    expect(await together(['bob'], device)).toEqual([401])
    const statuses = await together(wrongKeys(30), device)
    expect(service.begun).toHaveLength(9)
    expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([9, 21])
  })

  it('are verified one at a time after a wait', async () => {
    const { service, together, send } = openSlow()
    for (const key of wrongKeys(10)) await send(key)
    advance(15_000)
    await together([...wrongKeys(20), 'ada'])
    expect(service.begun).toHaveLength(1)
  })

  it('are not counted when they are right, and the next ones are verified', async () => {
    const { together, send } = openSlow()
    for (let round = 0; round < 3; round++) {
      expect(countOf(await together(Array(10).fill('ada')), 303)).toBe(10)
    }
    for (const key of wrongKeys(10)) expect(await send(key)).toBe(401)
    expect(await send('one more')).toBe(429)
  })

  it('are not counted when they cannot be checked, and no more than ten are verified', async () => {
    const { service, together, send } = openSlow()
    service.isBroken = true
    for (let round = 0; round < 3; round++) {
      const statuses = await together(wrongKeys(15))
      expect([countOf(statuses, 503), countOf(statuses, 429)]).toEqual([10, 5])
    }
    service.isBroken = false
    expect(await send('ada')).toBe(303)
  })
})
