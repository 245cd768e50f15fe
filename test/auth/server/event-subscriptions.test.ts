/** The event subscriptions of a person: what the account page and the admin API show and end, and what a revocation ends. */
// features: admin, events
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { defineEvent, events } from '../../../packages/events/src/index.ts'
import { admin } from '../../../packages/inspector/src/admin/index.ts'
import {
  connect,
  createEventReceiver,
  type EventReceiver,
} from '../../../packages/testing/src/index.ts'
import { embedded, passphrase, personalAccessTokens } from '../../../src/auth/index.ts'
import type { TelemetryEvent } from '../../../src/telemetry/index.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { FullServer } from '../../support/full-server.ts'
import { openObjectsOf } from '../../support/opened-objects.ts'
import { Browser, fieldOf } from './support/browser.ts'
import { AuthClient } from './support/client.ts'
import { type Deployment, ORIGIN, RESOURCE } from './support/deployment.ts'
import { answerCalls } from './support/scoped-objects.ts'

/** One for each test. */
const people = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [`person-${at}`, `correct horse battery staple ${at}`]),
)

const noteChanged = defineEvent('note.changed', {
  description: 'Occurs when a test emits it.',
  input: z.object({ note: z.string().optional() }),
  payload: z.object({ note: z.string() }),
  personal: true,
})

const reported: TelemetryEvent[] = []

const OTHER = `${ORIGIN}/other`

const app = openObjectsOf(
  createFullEdgeway(new FullServer({ name: 'people', version: '1.0.0' }), {
    path: '/mcp',
    otherPaths: ['/other'],
    rateLimits: false,
    telemetry: (event) => reported.push(event),
    auth: embedded({
      origin: ORIGIN,
      scopes: { read: 'Read notes' },
      login: passphrase({ people }),
      features: [personalAccessTokens()],
    }),
    admin: admin(),
    events: events({ types: [noteChanged] }),
  }),
)

const server: Deployment = {
  bindings: env as never,
  events: [],
  fetch: async (url, init) => app.fetch(new Request(url, init), env, createExecutionContext()),
}

const operator = app.admin(env)

const names = Object.keys(people)

/** A person with a client, who is signed in with a browser. */
async function openPerson() {
  const subject = names.shift() ?? ''
  const secret = people[subject] ?? ''
  const browser = new Browser(server)
  await browser.signIn(secret)
  return { subject, secret, browser, client: await AuthClient.register(server) }
}

type Person = Awaited<ReturnType<typeof openPerson>>

/** Subscribes with a grant of its own. */
async function subscribe({ secret, client }: Person, resource = RESOURCE, by = client) {
  const tokens = await by.tokens({ scope: 'read', resource }, secret)
  const callback = createEventReceiver().listen()
  onTestFinished(() => callback.close())
  const connected = await connect(app, { env, token: tokens.access, url: resource })
  onTestFinished(() => connected.close())
  const { id } = await connected.events.subscribe('note.changed', { callback })
  return { id, callback, tokens }
}

const emitTo = ({ subject }: Person) =>
  app.events(env).emit(noteChanged, { note: 'a' }, { subject })

/** What the callback has received besides the challenge. */
const received = ({ deliveries }: EventReceiver) =>
  deliveries.filter(({ kind }) => kind !== 'verification')

/** Expects one `terminated` with this reason, and that nothing is sent afterwards. */
async function expectEnd(person: Person, callback: EventReceiver, reason: string) {
  await vi.waitFor(() => expect(received(callback)).toHaveLength(1), 30_000)
  const [end] = received(callback)
  expect(end?.kind).toBe('terminated')
  expect(JSON.parse(end?.body ?? '')).toMatchObject({
    type: 'terminated',
    error: { message: 'Forbidden', data: { reason } },
  })
  const live = await subscribe(person)
  await emitTo(person)
  await live.callback.next()
  expect(received(callback)).toHaveLength(1)
}

async function expectLive(person: Person, callback: EventReceiver) {
  await emitTo(person)
  await vi.waitFor(() => expect(received(callback)).toHaveLength(1), 30_000)
  expect(received(callback)[0]?.kind).toBe('event')
}

const idsOf = async ({ subject }: Person) =>
  (await operator.subscriptions(subject)).map(({ subscriptionId }) => subscriptionId)

describe('the account page of a person with event subscriptions', () => {
  it('shows type, origin of the callback, app and dates of each, at every resource', async () => {
    const person = await openPerson()
    const { callback } = await subscribe(person)
    await subscribe(person, OTHER)
    const { html } = await person.browser.get('/account')
    const [, section = ''] = html.split('<h2 class="next">Events</h2>')
    expect(section.match(/ name="subscription" value="sub_/g)).toHaveLength(2)
    expect(section).toContain('A client')
    expect(section).toContain('note.changed')
    expect(section).toContain('https://receiver.example')
    expect(section).not.toContain(new URL(callback.url).pathname)
    expect(section).toContain('Nothing delivered')
    await expectLive(person, callback)
    await vi.waitFor(
      async () => expect((await person.browser.get('/account')).html).toContain('Last delivery'),
      30_000,
    )
  })

  it('has no section without subscriptions, and none of those of another person', async () => {
    const person = await openPerson()
    await subscribe(await openPerson())
    expect((await person.browser.get('/account')).html).not.toContain('>Events</h2>')
  })

  it('ends the one that the person chooses, and then all', async () => {
    const person = await openPerson()
    const [one, other] = [await subscribe(person), await subscribe(person, OTHER)]
    const end = async (subscription: string) => {
      const csrf = fieldOf((await person.browser.get('/account')).html, 'csrf')
      return person.browser.post('/account/subscriptions', { csrf, subscription })
    }
    const { status, location } = await end(one.id)
    expect([status, location]).toEqual([303, '/account?subscriptions-ended'])
    expect(await idsOf(person)).toEqual([other.id])
    const page = await person.browser.get('/account?subscriptions-ended')
    expect(page.html).toContain('No more events are sent there.')
    await expectLive(person, other.callback)
    await end('all')
    expect(await idsOf(person)).toEqual([])
    await expectEnd(person, one.callback, 'ended_by_person')
    await vi.waitFor(() => expect(received(other.callback).at(-1)?.kind).toBe('terminated'), 30_000)
  })

  it('ends nothing without the token of its form, signed out, or of another person', async () => {
    const [person, stranger] = [await openPerson(), await openPerson()]
    const { id } = await subscribe(person)
    const csrf = fieldOf((await stranger.browser.get('/account')).html, 'csrf')
    const post = (browser: Browser, fields: object) =>
      browser.post('/account/subscriptions', { subscription: id, ...fields })
    expect((await post(person.browser, {})).status).toBe(403)
    const missed = await post(stranger.browser, { csrf })
    expect(missed.location).toBe('/account?subscriptions-ended')
    expect((await post(new Browser(server), { csrf })).status).toBe(403)
    expect(await idsOf(person)).toEqual([id])
  })
})

type Subscribed = Awaited<ReturnType<typeof subscribe>>

describe('the event subscriptions of a grant', () => {
  it.each<[string, (person: Person, one: Subscribed) => Promise<unknown>]>([
    [
      'the person disconnects the app',
      async ({ browser }) => {
        const { html } = await browser.get('/account')
        const [card = ''] = html.split('<section').filter((each) => each.includes('A client'))
        const fields = { csrf: fieldOf(html, 'csrf'), client: fieldOf(card, 'client') }
        await browser.post('/account/disconnect', fields)
      },
    ],
    [
      'its client revokes its access token',
      ({ client }, { tokens }) => client.post('/revoke', { token: tokens.access }),
    ],
    [
      'its client revokes its refresh token',
      ({ client }, { tokens }) => client.post('/revoke', { token: tokens.refresh }),
    ],
    [
      'an operator revokes it',
      async ({ subject }) => {
        const grants = await operator.grants(subject)
        const grant = grants.find(({ resource }) => resource === RESOURCE)?.grantId ?? ''
        expect(await operator.revokeGrant(subject, grant)).toBe(true)
      },
    ],
  ])('end when %s, and those of other apps go on', async (_, end) => {
    const person = await openPerson()
    const other = await AuthClient.register(server, { client_name: 'Another' })
    const kept = await subscribe(person, OTHER, other)
    const one = await subscribe(person)
    await end(person, one)
    expect(await idsOf(person)).toEqual([kept.id])
    await expectLive(person, kept.callback)
    await expectEnd(person, one.callback, 'access_ended')
  })

  it('belong to the grant of the last refresh', async () => {
    const person = await openPerson()
    const { callback, tokens } = await subscribe(person)
    const later = await person.client.tokens({ scope: 'read' }, person.secret)
    const connected = await connect(app, { env, token: later.access, url: RESOURCE })
    await connected.events.subscribe('note.changed', { callback })
    await person.client.post('/revoke', { token: tokens.refresh })
    expect(await idsOf(person)).toHaveLength(1)
    await person.client.post('/revoke', { token: later.refresh })
    expect(await idsOf(person)).toEqual([])
  })

  it('end at a delivery within ten seconds when an operator revokes its client with everyone', async () => {
    const person = await openPerson()
    const { callback } = await subscribe(person)
    await operator.revokeClient(person.client.id)
    // An isolate reads the epoch of a client every ten seconds.
    await vi.waitFor(
      async () => {
        await emitTo(person)
        expect(await idsOf(person)).toEqual([])
      },
      { timeout: 30_000, interval: 1000 },
    )
    const ends = () => received(callback).filter(({ kind }) => kind === 'terminated')
    await vi.waitFor(() => expect(ends()).toHaveLength(1), 30_000)
    expect(received(callback).at(-1)?.body).toContain('"reason":"access_ended"')
  })
})

describe('a revoked grant whose subscriptions cannot be reached', () => {
  it('is revoked, and its subscription ends at the next delivery', async () => {
    const person = await openPerson()
    const { callback, tokens } = await subscribe(person)
    const failing = answerCalls({ ...env }, ({ kind, method }, next) => {
      if (kind !== 'subscriber' || !['end', 'subscriptions'].includes(method)) return next()
      throw new Error(`The object fails: ${method}`)
    })
    const broken: Deployment = {
      bindings: failing,
      events: [],
      fetch: async (url, init) =>
        app.fetch(new Request(url, init), failing, createExecutionContext()),
    }
    expect((await person.browser.at(broken).get('/account')).status).toBe(200)
    const client = person.client.at(broken)
    expect((await client.post('/revoke', { token: tokens.refresh })).status).toBe(200)
    expect(received(callback)).toEqual([])
    expect(reported).toContainEqual(expect.objectContaining({ type: 'internal-error' }))
    await emitTo(person)
    const { kind, body } = await callback.next(30_000)
    expect(kind).toBe('terminated')
    expect(body).toContain('"reason":"access_ended"')
  })
})

describe('the admin API for the event subscriptions of a person', () => {
  it('lists them without arguments and without the path of the callback', async () => {
    const person = await openPerson()
    const { id } = await subscribe(person)
    expect(await operator.subscriptions(person.subject)).toEqual([
      {
        subscriptionId: id,
        type: 'note.changed',
        callback: 'https://receiver.example',
        client: person.client.id,
        state: 'active',
        createdAt: expect.any(Number),
        expiresAt: expect.any(Number),
        lastDeliveryAt: undefined,
        lastError: undefined,
        pending: 0,
      },
    ])
    expect(await operator.subscriptions('unknown')).toEqual([])
  })

  it('ends one, and then all', async () => {
    const person = await openPerson()
    const [one, two] = [await subscribe(person), await subscribe(person, OTHER)]
    const { subject } = person
    expect(await operator.endSubscriptions(subject, 'sub_unknown')).toBe(0)
    expect(await operator.endSubscriptions(subject, one.id)).toBe(1)
    expect(await idsOf(person)).toEqual([two.id])
    expect(await operator.endSubscriptions(subject)).toBe(1)
    expect(await idsOf(person)).toEqual([])
    await vi.waitFor(() => expect(received(two.callback)).toHaveLength(1), 30_000)
    await expectEnd(person, one.callback, 'ended_by_operator')
  })

  it.each([
    ['ends all when the access of the person ends', (of: string) => operator.revokePerson(of)],
    ['deletes all with the person', (of: string) => operator.deletePerson(of)],
  ])('%s', async (_, end) => {
    const person = await openPerson()
    const { callback } = await subscribe(person)
    await subscribe(person, OTHER)
    expect(await end(person.subject)).toMatchObject({ subscriptions: 2 })
    expect(await idsOf(person)).toEqual([])
    expect(await end(person.subject)).toMatchObject({ subscriptions: 0 })
    await expectEnd(person, callback, 'access_ended')
  })
})
