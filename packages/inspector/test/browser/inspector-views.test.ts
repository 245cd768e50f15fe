/** The timeline and the state of the inspector in a real browser, with recorded JSON. */
import { describe, expect, it } from 'vitest'
import { screenshot, useBrowser } from '../../../../test/browser/open-browser.ts'
import { expectAccessible } from '../../../../test/browser/page-checks.ts'
import type { TrafficEntry } from '../../page/traffic/entry.ts'
import { useRecordedServers } from './inspector-server.ts'

const browser = useBrowser()
const servers = useRecordedServers()

const AT = Date.UTC(2026, 10, 22, 12)

const HOSTILE = '<img src=x onerror="document.title=1">\u202E'

const TIMELINE = {
  connections: [
    {
      id: 'a',
      client: { name: 'Cursor', id: 'https://cursor.example/client.json' },
      networks: ['x1Tt0aYd'],
      beganAt: AT,
      lastAt: AT + 900,
      verdict: {
        state: 'stopped',
        summary: 'Cursor got a token, and initialize with the token did not come.',
        missing: 'initialize with the token',
        findings: [
          {
            code: 'token-expiry-invalid',
            severity: 'error',
            answer: 'expires_in was "3600"',
          },
          { code: 'of-another-release', severity: 'warning', answer: 'The answer was new' },
        ],
        checked: [
          {
            code: 'token-response-invalid',
            result: 'passed',
            answer: 'It was JSON',
          },
          {
            code: 'token-expiry-invalid',
            result: 'failed',
            answer: 'It was "3600"',
          },
          {
            code: 'cors-headers-hidden',
            result: 'unseen',
            answer: 'Nothing shows it',
          },
        ],
      },
      steps: [
        {
          at: AT,
          tookMs: 2,
          kind: 'endpoint',
          http: 'POST',
          status: 401,
          network: 'x1Tt0aYd',
          software: 'Cursor',
          title: 'POST',
          details: { url: 'http://localhost:8787/mcp' },
          events: [
            {
              type: 'refusal',
              name: 'token-missing',
              message: 'An access token is required',
            },
          ],
        },
      ],
    },
    {
      id: 'b',
      client: { name: HOSTILE },
      networks: [],
      beganAt: AT,
      lastAt: AT,
      verdict: {
        state: 'in-progress',
        summary: HOSTILE,
        missing: HOSTILE,
        findings: [],
        checked: [],
      },
      steps: [],
    },
  ],
}

const STATE = {
  subject: 'ana@example.com',
  sessions: [{ session: 'edb152f46f1742c5', usedAt: AT, expiresAt: AT + 3_600_000 }],
  tasks: [
    {
      task: 'k1',
      status: 'working',
      statusMessage: HOSTILE,
      createdAt: AT,
      lastUpdatedAt: AT,
      expiresAt: AT,
    },
  ],
  grants: [],
  listeners: null,
}

const EVENTS = {
  types: [
    {
      name: 'note.changed',
      description: `A note has changed. ${HOSTILE}`,
      delivery: ['poll', 'push', 'webhook'],
      inputSchema: { type: 'object', properties: { topic: { type: 'string' } } },
      payloadSchema: {
        type: 'object',
        properties: { topic: { type: 'string' } },
        required: ['topic'],
      },
    },
  ],
  subscriptions: [
    {
      id: 'sub_edb152f46f1742c5',
      type: 'note.changed',
      arguments: '{"topic":"news"}',
      callback: 'https://hooks.example',
      state: 'suspended',
      createdAt: AT,
      expiresAt: AT + 3_600_000,
      pending: 3,
      lastError: 'http_5xx',
    },
  ],
}

const WITH_EVENTS = {
  config: { events: true },
  answers: { '/inspect/events.json': EVENTS, '/inspect/emit': { eventId: 'evt_1' } },
}

const event = (number: number, change: object): TrafficEntry => ({
  number,
  at: AT + number,
  exchange: '',
  kind: 'event',
  event: 'note.changed',
  what: 'delivery',
  outcome: 'delivered',
  subscription: 'sub_edb152f46f1742c5',
  reason: null,
  ...change,
})

describe.each([
  ['desktop', 'light'],
  ['small', 'dark'],
] as const)('on a %s in %s, the inspector', (device, colorScheme) => {
  it('shows where a client stopped, what is missing, and the causes that were checked', async () => {
    const { origin } = await servers.open({ answers: { '/inspect/timeline.json': TIMELINE } })
    const { page, violations } = await browser.open({ device, colorScheme })
    await page.goto(`${origin}/inspect#/timeline`)
    await page.getByRole('heading', { name: 'Cursor' }).waitFor()
    await page.getByText('initialize with the token', { exact: true }).waitFor()
    await page.getByText('Known causes that were checked').click()
    await page.getByText('1 step').click()
    await page.getByText('An access token is required').waitFor()
    await page
      .getByText('expires_in is not a positive number of seconds. expires_in was "3600".', {
        exact: true,
      })
      .waitFor()
    await page.getByText('The answer was new.', { exact: true }).waitFor()
    await page.getByText('Fix: Send expires_in as the lifetime of the token').waitFor()
    const clause = page.getByRole('link', { name: 'RFC 6749 §5.1' })
    expect(await clause.getAttribute('href')).toMatch(/^https:\/\/www\.rfc-editor\.org\//)
    expect(await page.getByRole('link', { name: 'MCP, error handling' }).count()).toBe(1)
    expect(await page.locator('img').count()).toBe(0)
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await screenshot(page, `inspector-verdict-${device}-${colorScheme}`)
    expect(violations).toEqual([])
  })

  it('shows event types, subscriptions and what became of deliveries', async () => {
    const entries = [event(1, {}), event(2, { outcome: 'abandoned', reason: 'http_5xx' })]
    const server = await servers.open({ ...WITH_EVENTS, entries })
    const { page, violations } = await browser.open({ device, colorScheme })
    await page.goto(`${server.origin}/inspect`)
    await page.getByRole('link', { name: 'Events' }).click()
    await page.getByRole('heading', { name: 'note.changed' }).waitFor()
    await page.getByText('abandoned').waitFor()
    await page.getByText('suspended', { exact: true }).waitFor()
    server.append(event(3, { what: 'subscription', outcome: 'refused', reason: 'timeout' }))
    await page.getByText('refused').waitFor()
    const rows = page.getByRole('list', { name: 'What happened' }).getByRole('listitem')
    expect(await rows.first().textContent()).toContain('timeout')
    await page.getByText('Schemas').click()
    await page.getByText('Emit one').click()
    expect(await page.locator('img').count()).toBe(0)
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await screenshot(page, `inspector-events-${device}-${colorScheme}`)
    expect(violations).toEqual([])
    await page.getByRole('link', { name: 'Traffic' }).click()
    expect(await page.locator('a.row').count()).toBe(0)
  })

  it('shows what is stored of a subject, and which part has no index', async () => {
    const config = { subject: 'ana@example.com' }
    const { origin } = await servers.open({ config, answers: { '/inspect/state.json': STATE } })
    const { page } = await browser.open({ device, colorScheme })
    await page.goto(`${origin}/inspect#/state`)
    await page.getByText('edb152f46f1742c5').waitFor()
    expect(await page.getByLabel('Subject').inputValue()).toBe('ana@example.com')
    await page.getByText('This server has no index of them.').waitFor()
    await page.getByText('None.').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await screenshot(page, `inspector-stored-${device}-${colorScheme}`)
  })
})

describe('one event by hand in the inspector', () => {
  it('is emitted with the entered data, and its id is shown', async () => {
    const { origin } = await servers.open(WITH_EVENTS)
    const { page } = await browser.open()
    const posted = page.waitForRequest(`${origin}/inspect/emit`)
    await page.goto(`${origin}/inspect#/events`)
    await page.getByText('Emit one').click()
    await page.getByLabel('topic').fill('news')
    await page.getByRole('button', { name: 'Emit' }).click()
    await page.getByText('evt_1').waitFor()
    expect((await posted).postDataJSON()).toEqual({
      type: 'note.changed',
      data: { topic: 'news' },
    })
    await expectAccessible(page)
  })
})
