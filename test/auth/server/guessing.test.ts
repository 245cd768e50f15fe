/** Wrong passphrases from many networks, and from browsers in which a person signed in before. */
import { describe, expect, it } from 'vitest'
import { createAppObjects } from '../../../durable-objects/app-objects.ts'
import { createAuthServices } from '../../../durable-objects/auth-services.ts'
import { guessCounts } from '../../../src/auth/server/secret-guess.ts'
import { verifies } from '../../support/verifies.ts'
import { Browser, formOf } from './support/browser.ts'
import {
  advance,
  type Bindings,
  createBindings,
  GUEST_PASSPHRASE,
  ORIGIN,
  openDeployment,
  PASSPHRASE,
} from './support/deployment.ts'
import { OF_TEST } from './support/scoped-objects.ts'

const DEVICE = '__Host-edgeway-device'
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

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
    const page = await browser.post('/login', { csrf, passphrase }, { 'cf-connecting-ip': address })
    return page.status
  }
  /** Counts wrong passphrases one after the other, as the pages do, and returns how many are checked. */
  const checked = async (addresses: Iterable<string>): Promise<number> => {
    let count = 0
    for (const address of addresses) {
      const [{ key }, ...wider] = guessCounts(
        new Request(ORIGIN, { headers: { 'cf-connecting-ip': address } }),
      )
      if ((await throttle.guess(key, false, wider)).allowed) count += 1
    }
    return count
  }
  /** The device cookie of a person who signs in from an address of its own. */
  const signIn = async (passphrase = PASSPHRASE, at = new Browser(server)): Promise<string> => {
    const { csrf } = formOf(await at.get('/account'))
    const page = await at.post('/login', { csrf, passphrase }, { 'cf-connecting-ip': '192.0.2.99' })
    expect(page.status).toBe(303)
    return at.cookies.get(DEVICE) ?? ''
  }
  return { server, enter, checked, signIn }
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
    ['60 IPv6 addresses of one /64', 10, 60, (at: number) => `2001:db8:5:1::${hex(at)}`],
    ['60 IPv6 /64 of one /48', 40, 60, (at: number) => `2001:db8:5:${hex(at * 256)}::1`],
    ['60 IPv6 /64 of one /56', 20, 60, (at: number) => `2001:db8:5:${hex(at)}::1`],
    ['60 IPv6 /48 of one /32', 80, 60, (at: number) => `2001:db8:${hex(at)}::1`],
    ['60 IPv4 addresses of one /24', 40, 60, (at: number) => `198.51.100.${at}`],
    ['60 IPv6 /32', 400, 60, (at: number) => `${hex(0x2001 + at)}:db8::1`],
    ['60 IPv4 /24', 400, 60, (at: number) => `198.51.${at}.1`],
  ])('of %s are checked %i times', async (_, expected, count, of) => {
    verifies('oauth-2-1-security/end-user-credentials')
    const { checked } = open()
    const turns = Math.ceil(expected / count) + 2
    expect(await checked(addresses(count, turns, of))).toBe(expected)
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
    for (let at = 0; at < 11; at += 1) await enter('203.0.113.7', `secret guess ${at}`)
    const refused = server.events.filter(({ type }) => type === 'sign-in-refused')
    expect(refused).toEqual([
      ...Array(10).fill({
        type: 'sign-in-refused',
        reason: 'passphrase-wrong',
        message: 'The passphrase is wrong.',
      }),
      {
        type: 'sign-in-refused',
        reason: 'passphrase-throttled',
        message: 'Too many attempts. Please wait 1 minute.',
      },
    ])
  })
})

describe('a browser in which a person has signed in before', () => {
  const FLOODED = '203.0.113.7'

  async function flood() {
    const deployment = open()
    const device = await deployment.signIn()
    await deployment.checked(addresses(1, 11, () => FLOODED))
    expect(await deployment.enter(FLOODED, PASSPHRASE)).toBe(429)
    return { ...deployment, device }
  }

  it('signs that person in while its network waits', async () => {
    const { enter, device } = await flood()
    expect(await enter(FLOODED, PASSPHRASE, device)).toBe(303)
  })

  it('signs that person in while all networks wait', async () => {
    const { enter, checked, signIn } = open()
    const device = await signIn()
    await checked(addresses(60, 9, (at) => `198.51.${at}.1`))
    expect(await enter('192.0.2.1', PASSPHRASE)).toBe(429)
    expect(await enter('192.0.2.1', PASSPHRASE, device)).toBe(303)
  })

  it('learns that a passphrase is wrong while its network waits, ten times', async () => {
    const { enter, device } = await flood()
    const statuses: number[] = []
    for (let at = 0; at < 12; at += 1) statuses.push(await enter(FLOODED, 'wrong', device))
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect(await enter(FLOODED, PASSPHRASE, device)).toBe(429)
  })

  it('counts its wrong passphrases for its network too', async () => {
    const { enter, signIn } = open()
    const device = await signIn()
    for (let at = 0; at < 10; at += 1) expect(await enter(FLOODED, 'wrong', device)).toBe(401)
    expect(await enter(FLOODED, PASSPHRASE)).toBe(429)
  })

  it('does not sign another person in while its network waits', async () => {
    const { enter, device } = await flood()
    expect(await enter(FLOODED, GUEST_PASSPHRASE, device)).toBe(401)
  })

  it('signs another person in while its network does not wait', async () => {
    const { enter, signIn } = open()
    expect(await enter(FLOODED, GUEST_PASSPHRASE, await signIn())).toBe(303)
  })

  it('gives one person no guesses at the passphrase of another by signing in again', async () => {
    const { enter, signIn } = await flood()
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
    const { enter, checked, signIn } = open()
    const device = await signIn()
    advance(age)
    await checked(addresses(1, 10, () => FLOODED))
    expect(await enter(FLOODED, PASSPHRASE, change(device))).toBe(429)
  })

  it('is no known device with the login cookie, and the reverse', async () => {
    const { server, enter, checked, signIn } = open()
    const browser = new Browser(server)
    const device = await signIn(PASSPHRASE, browser)
    await checked(addresses(1, 10, () => FLOODED))
    const login = browser.cookies.get('__Host-edgeway-login') ?? ''
    expect(await enter(FLOODED, PASSPHRASE, login)).toBe(429)
    const other = new Browser(server)
    other.cookies.set('__Host-edgeway-login', device)
    expect((await other.get('/account')).actions).toEqual(['/login'])
  })

  it('stays a known device after signing out', async () => {
    const { server, enter, checked, signIn } = open()
    const browser = new Browser(server)
    await signIn(PASSPHRASE, browser)
    const { csrf } = formOf(await browser.get('/account'))
    await browser.post('/logout', { csrf })
    await checked(addresses(1, 10, () => FLOODED))
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
    const { csrf } = formOf(await browser.get('/account'))
    expect((await browser.post('/login', { csrf, passphrase: SHORT })).status).toBe(303)
  })
})
