/** The timeline of connections: what became of each, and its steps. */
import { fireEvent, render, screen, within } from '@testing-library/preact'
import { describe, expect, it, vi } from 'vitest'
import { TimelineView } from '../../../page/timeline/timeline-view.tsx'
import type { TimelineConnection, TimelineEntry } from '../../../src/timeline/views.ts'
import { wait } from '../support/clock.ts'
import { press, textOf } from '../support/controls.ts'
import { never, playServer } from '../support/played-server.ts'

const AT = new Date(2026, 10, 22, 12, 0, 0, 7).getTime()

type Verdict = TimelineConnection['verdict']

const VERDICT: Verdict = {
  state: 'stopped',
  summary: 'Cursor got a token.',
  missing: 'initialize with the token',
  findings: [],
  checked: [],
}

const STEP: TimelineEntry = {
  at: AT,
  tookMs: 2,
  kind: 'endpoint',
  title: 'tools/list',
  http: 'POST',
  status: 200,
  network: 'n1',
  software: 'Cursor',
  events: [],
  details: { url: 'http://localhost:8787/mcp' },
}

const connection = (change: Partial<TimelineConnection> = {}): TimelineConnection => ({
  id: 'a',
  client: { name: 'Cursor' },
  networks: [],
  beganAt: AT,
  lastAt: AT,
  verdict: VERDICT,
  steps: [],
  ...change,
})

async function open(...connections: readonly TimelineConnection[]): Promise<HTMLElement> {
  playServer({ answers: { '/inspect/timeline.json': { connections } } })
  render(<TimelineView />)
  return screen.findByRole('article')
}

const withVerdict = (change: Partial<Verdict>) =>
  open(connection({ verdict: { ...VERDICT, ...change } as Verdict }))

const badgesOf = (element: HTMLElement) =>
  [...element.querySelectorAll('.badge')].map((badge) => [
    textOf(badge),
    badge.className.replace('badge ', ''),
  ])

describe('a connection', () => {
  it.each([
    ['connected', 'connected', 'good'],
    ['in-progress', 'in progress', 'accent'],
    ['stopped', 'stopped', 'bad'],
  ] as const)('with the verdict %s has a badge', async (state, text, colour) => {
    const card = await withVerdict({ state })
    expect(badgesOf(card)).toEqual([[text, colour]])
  })

  it.each([
    ['stopped', 'Missing step: initialize with the token'],
    ['in-progress', 'Next step: initialize with the token'],
  ] as const)('that is %s says which step did not come', async (state, text) => {
    const card = await withVerdict({ state })
    expect(textOf(card)).toContain(`Cursor got a token.${text}`)
  })

  it('to which nothing is missing names no step', async () => {
    const { missing: _, ...verdict } = VERDICT
    const card = await open(connection({ verdict }))
    expect(textOf(card)).not.toContain('step:')
  })

  it.each([
    ['Cursor', 'Cursor'],
    ['', 'Unknown client'],
    ['\u202Ex', '\\u{202E}x'],
  ])('of the client %j is titled %s', async (name, title) => {
    await open(connection({ client: { name } }))
    expect(screen.getByRole('heading', { level: 3, name: title })).toBeTruthy()
    expect(screen.getByText('22 Nov 2026, 12:00:00')).toBeTruthy()
  })

  it.each<[Partial<TimelineConnection>, string]>([
    [{ steps: [STEP] }, '1 step'],
    [{ steps: [STEP, STEP], networks: ['n1'] }, '2 steps from network n1'],
    [{ networks: ['n1', 'n2'] }, '0 steps from network n1, n2'],
  ])('counts its steps and names its networks', async (change, text) => {
    const card = await open(connection(change))
    expect(textOf(card.querySelector('summary'))).toBe(text)
  })
})

describe('a step of a connection', () => {
  const openStep = async (change: Partial<TimelineEntry>) => {
    await open(connection({ steps: [{ ...STEP, ...change }] }))
    return screen.getAllByRole('listitem', { hidden: true })[0] as HTMLElement
  }

  it.each([
    [200, 'good'],
    [302, 'plain'],
    [401, 'bad'],
  ])('with the status %i has the colour %s', async (status, colour) => {
    expect(badgesOf(await openStep({ status }))).toEqual([[String(status), colour]])
  })

  it.each([
    [STEP.details, 'POST http://localhost:8787/mcp'],
    [{}, 'POST'],
  ])('with the details %j says when it came and what was asked', async (details, request) => {
    const step = await openStep({ details })
    expect(textOf(step)).toBe(`12:00:00.007200tools/list${request} 2 ms`)
  })

  it.each([
    ['refusal', 'bad'],
    ['leniency', 'warn'],
    ['failure', 'bad'],
  ] as const)('with a %s says what happened', async (type, colour) => {
    const message = 'An access token is required'
    const step = await openStep({ events: [{ type, name: 'of-another-release', message }] })
    expect(badgesOf(step)[1]).toEqual([type, colour])
    expect(textOf(step)).toContain('of-another-release An access token is required')
    // Each leniency has a source: what clients send.
    const links = within(step).queryAllByRole('link', { hidden: true })
    expect(links).toHaveLength(type === 'leniency' ? 1 : 0)
  })

  it('has a link to the clause of a refusal', async () => {
    const step = await openStep({
      events: [{ type: 'refusal', name: 'token-missing', message: 'A token is required' }],
    })
    const link = within(step).getByRole('link', { hidden: true, name: 'MCP, error handling' })
    expect(link.getAttribute('href')).toMatch(/^https:/)
  })
})

describe('a verdict', () => {
  const finding = (change: object) => ({
    findings: [
      {
        code: 'token-expiry-invalid',
        severity: 'error',
        answer: 'expires_in was "3600"',
        ...change,
      },
    ] as Verdict['findings'],
  })
  const notice = () => document.querySelector('.notice') as HTMLElement

  it('says what is wrong, how it is mended, and by which clause', async () => {
    await withVerdict(finding({}))
    expect(textOf(notice())).toMatch(
      /^token-expiry-invalidexpires_in is not a positive number of seconds\. expires_in was "3600"\.Fix: Send expires_in .+RFC 6749 §5\.1$/,
    )
    expect(within(notice()).getByRole('link').getAttribute('href')).toMatch(
      /^https:\/\/www\.rfc-editor\.org\//,
    )
  })

  it('shows the answer alone for a fault of another release', async () => {
    await withVerdict(finding({ code: 'of-another-release' }))
    expect(textOf(notice())).toBe('of-another-releaseexpires_in was "3600".')
  })

  it.each([
    ['error', 'notice bad'],
    ['warning', 'notice warn'],
  ])('with the severity %s has its colour', async (severity, name) => {
    await withVerdict(finding({ severity }))
    expect(notice().className).toBe(name)
  })

  it.each([
    ['passed', 'ruled out', 'good'],
    ['failed', 'found', 'bad'],
    ['unseen', 'not seen', ''],
  ] as const)('with a cause that %s says so', async (result, text, colour) => {
    const card = await withVerdict({
      checked: [{ code: 'cors-headers-hidden', result, answer: 'The answer' }],
    })
    const cause = card.querySelector('.causes > li') as HTMLElement
    expect(badgesOf(cause)).toEqual([[text, colour]])
    expect(textOf(cause)).toMatch(/cors-headers-hidden.+\.The answer$/)
  })

  it('of a cause of another release shows the answer alone', async () => {
    const card = await withVerdict({
      checked: [{ code: 'of-another-release', result: 'passed', answer: 'The answer' } as never],
    })
    expect(textOf(card.querySelector('.causes > li'))).toBe(
      'ruled out of-another-releaseThe answer',
    )
  })

  it('that has checked no cause has no list of them', async () => {
    await withVerdict({})
    expect(screen.queryByText('Known causes that were checked')).toBeNull()
  })
})

describe('the timeline', () => {
  const PATH = '/inspect/timeline.json'
  const refresh = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Refresh' })

  it('says what to do where no client has connected', async () => {
    playServer({ answers: { [PATH]: { connections: [] } } })
    render(<TimelineView />)
    expect(screen.getByText('Loading…')).toBeTruthy()
    expect(refresh().disabled).toBe(true)
    expect(await screen.findByText('No client has connected yet')).toBeTruthy()
    expect(screen.queryByText('Loading…')).toBeNull()
    expect(refresh().disabled).toBe(false)
  })

  it('is read again every five seconds while the page is visible, and on request', async () => {
    vi.useFakeTimers()
    const { requested } = playServer({ answers: { [PATH]: { connections: [] } } })
    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible')
    const { unmount } = render(<TimelineView />)
    await wait(4999)
    expect(requested).toEqual([`GET ${PATH}`])
    await wait(1)
    expect(requested).toHaveLength(2)
    visibility.mockReturnValue('hidden')
    await wait(5000)
    expect(requested).toHaveLength(2)
    press('Refresh')
    await wait(1)
    expect(requested).toHaveLength(3)
    visibility.mockReturnValue('visible')
    unmount()
    await wait(10_000)
    expect(requested).toHaveLength(3)
  })

  it('keeps what it has read when a later reading fails, until one succeeds', async () => {
    const answers: Record<string, object> = { [PATH]: { connections: [connection()] } }
    playServer({ answers })
    render(<TimelineView />)
    await screen.findByRole('article')
    answers[PATH] = new TypeError('fetch failed')
    fireEvent.click(refresh())
    await screen.findByText('The server does not answer. Check that it is running.')
    expect(screen.getByRole('article')).toBeTruthy()
    answers[PATH] = { connections: [connection({ client: { name: 'Other' } })] }
    press('Try again')
    await screen.findByRole('heading', { name: 'Other' })
    expect(screen.queryByText('This could not be read')).toBeNull()
  })

  it('does not wait for an answer that never comes after it was closed', () => {
    playServer({ answers: { [PATH]: never } })
    const { unmount } = render(<TimelineView />)
    unmount()
    expect(document.body.textContent).toBe('')
  })
})
