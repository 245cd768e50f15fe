/** Concurrent guesses of secrets: no more are verified than the limit allows, and right ones are not counted. */
import { describe, expect, it } from 'vitest'
import { apiKey, personalAccessTokens } from '../../../src/auth/index.ts'
import { Browser, type Fields, formOf, type Page } from './support/browser.ts'
import { AuthClient } from './support/client.ts'
import { advance, openDeployment, PASSPHRASE } from './support/deployment.ts'

const ADA_KEY = 'the key of ada'
const BOB_KEY = 'the key of bob'
const SUBJECTS: Readonly<Record<string, string>> = { [ADA_KEY]: 'ada', [BOB_KEY]: 'bob' }
const ADDRESS = { 'cf-connecting-ip': '203.0.113.7' }
const DEVICE = '__Host-edgeway-device'

/** A service whose verifications wait until the test lets them end. */
class SlowService {
  /** Keys whose verification has begun. */
  readonly begun: string[] = []
  /** Requests that are answered. */
  answered = 0
  isBroken = false
  #isHeld = false
  #release: () => void = () => undefined
  #held: Promise<void> = Promise.resolve()
  #onProgress: () => void = () => undefined

  readonly login = apiKey({
    verify: async (key) => {
      this.begun.push(key)
      this.#onProgress()
      if (this.#isHeld) await this.#held
      if (this.isBroken) throw new Error('The service is down')
      const subject = SUBJECTS[key]
      return subject === undefined ? undefined : { subject }
    },
  })

  /** Sends the requests together, ends no verification before each is verified or answered. */
  async together(requests: readonly (() => Promise<Page>)[]): Promise<readonly number[]> {
    this.begun.length = 0
    this.answered = 0
    this.#isHeld = true
    this.#held = new Promise((resolve) => {
      this.#release = resolve
    })
    const settled = new Promise<void>((resolve) => {
      this.#onProgress = () => {
        if (this.begun.length + this.answered === requests.length) resolve()
      }
    })
    const answers = requests.map(async (send) => {
      const { status } = await send()
      this.answered += 1
      this.#onProgress()
      return status
    })
    await settled
    this.#isHeld = false
    this.#release()
    return Promise.all(answers)
  }
}

function open() {
  const service = new SlowService()
  const server = openDeployment({ login: service.login, features: [personalAccessTokens()] })
  /** A browser that has loaded the page of the sign-in, and sends a key. */
  const ready = async (key: string, headers = ADDRESS, device?: string) => {
    const browser = new Browser(server)
    if (device !== undefined) browser.cookies.set(DEVICE, device)
    const { csrf } = formOf(await browser.get('/account'))
    return () => browser.post('/login', { csrf, api_key: key }, headers)
  }
  const signIn = async (key: string) => {
    const browser = new Browser(server)
    const { csrf } = formOf(await browser.get('/account'))
    await browser.post('/login', { csrf, api_key: key }, { 'cf-connecting-ip': '192.0.2.99' })
    return browser
  }
  return { service, server, ready, signIn }
}

const wrongKeys = (count: number) => Array.from({ length: count }, (_, at) => `wrong ${at}`)
const countOf = (statuses: readonly number[], status: number) =>
  statuses.filter((one) => one === status).length

describe('API keys that are sent together', () => {
  it('are verified ten times from one network, the right key among the others too', async () => {
    const { service, ready } = open()
    const keys = [...wrongKeys(59), ADA_KEY]
    const statuses = await service.together(await Promise.all(keys.map((key) => ready(key))))
    expect(service.begun).toHaveLength(10)
    expect(countOf(statuses, 429)).toBe(50)
    expect(countOf(statuses, 401) + countOf(statuses, 303)).toBe(10)
  })

  it.each<[string, string, (key: string) => Fields]>([
    ['the page that replaces a key', '/account/key', (key) => ({ api_key: key })],
    [
      'the form of personal access tokens',
      '/account/tokens',
      (key) => ({
        api_key: key,
        name: 'CI',
        'scope read': 'yes',
        lifetime: String(7 * 86_400_000),
      }),
    ],
  ])('are verified ten times on %s', async (_, path, fields) => {
    const { service, signIn } = open()
    const browser = await signIn(ADA_KEY)
    browser.cookies.delete(DEVICE)
    const { csrf } = formOf(await browser.get('/account'))
    const requests = wrongKeys(30).map(
      (key) => () => browser.post(path, { csrf, ...fields(key) }, ADDRESS),
    )
    const statuses = await service.together(requests)
    expect(service.begun).toHaveLength(10)
    expect(countOf(statuses, 429)).toBe(20)
  })

  it('are verified ten times on the consent page', async () => {
    const { service, server } = open()
    const client = await AuthClient.register(server)
    const requests = await Promise.all(
      wrongKeys(30).map(async (api_key) => {
        const browser = new Browser(server)
        const page = await client.authorize(browser)
        const form = { ...formOf(page), decision: 'approve', api_key }
        return () => browser.post('/authorize/decision', form, ADDRESS)
      }),
    )
    const statuses = await service.together(requests)
    expect(service.begun).toHaveLength(10)
    expect(countOf(statuses, 429)).toBe(20)
  })

  it('are verified on the known device of a person, whose network is full', async () => {
    const { service, signIn, ready } = open()
    const device = (await signIn(ADA_KEY)).cookies.get(DEVICE)
    const requests = [
      ...wrongKeys(10).map((key) => ready(key)),
      ready(ADA_KEY, ADDRESS, device),
      ready(BOB_KEY, ADDRESS, device),
    ]
    const statuses = await service.together(await Promise.all(requests))
    expect(statuses.slice(10)).toEqual([303, 401])
  })

  it('are verified ten times on a known device in a network that is full', async () => {
    const { service, signIn, ready } = open()
    const device = (await signIn(ADA_KEY)).cookies.get(DEVICE)
    for (const key of wrongKeys(10)) await (await ready(key))()
    const requests = wrongKeys(30).map((key) => ready(key, ADDRESS, device))
    const statuses = await service.together(await Promise.all(requests))
    expect(service.begun).toHaveLength(10)
    expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([10, 20])
  })

  it('are verified one at a time after a wait', async () => {
    const { service, ready } = open()
    for (const key of wrongKeys(10)) await (await ready(key))()
    advance(15_000)
    const requests = await Promise.all([...wrongKeys(20), ADA_KEY].map((key) => ready(key)))
    await service.together(requests)
    expect(service.begun).toHaveLength(1)
  })

  it('are not counted when they are right, and the next ones are verified', async () => {
    const { service, ready } = open()
    for (let round = 0; round < 3; round++) {
      const requests = await Promise.all(Array.from({ length: 10 }, () => ready(ADA_KEY)))
      expect(countOf(await service.together(requests), 303)).toBe(10)
    }
    for (const key of wrongKeys(10)) expect((await (await ready(key))()).status).toBe(401)
    expect((await (await ready('one more'))()).status).toBe(429)
  })

  it('are not counted when they cannot be checked, and no more than ten are verified', async () => {
    const { service, ready } = open()
    service.isBroken = true
    for (let round = 0; round < 3; round++) {
      const requests = await Promise.all(wrongKeys(15).map((key) => ready(key)))
      const statuses = await service.together(requests)
      expect([countOf(statuses, 503), countOf(statuses, 429)]).toEqual([10, 5])
    }
    service.isBroken = false
    expect((await (await ready(ADA_KEY))()).status).toBe(303)
  })
})

describe('passphrases that are sent together', () => {
  it('are answered ten times from one network, and a right one after them is refused', async () => {
    const server = openDeployment()
    const ready = async (passphrase: string) => {
      const browser = new Browser(server)
      const { csrf } = formOf(await browser.get('/account'))
      return () => browser.post('/login', { csrf, passphrase }, ADDRESS)
    }
    const requests = await Promise.all(wrongKeys(60).map(ready))
    const last = await ready(PASSPHRASE)
    const statuses = (await Promise.all(requests.map((send) => send()))).map(({ status }) => status)
    expect([countOf(statuses, 401), countOf(statuses, 429)]).toEqual([10, 50])
    expect((await last()).status).toBe(429)
  })
})
