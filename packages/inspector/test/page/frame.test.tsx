/** The frame of the page: its server, its tabs, and the state of its stream. */
import { act, render, screen, waitFor, within } from '@testing-library/preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { App } from '../../page/app.tsx'
import { hrefOf, navigate, readRoute, route } from '../../page/route.ts'
import { pause, trafficLog } from '../../page/traffic/traffic-log.ts'
import type { StreamState } from '../../page/traffic/traffic-stream.ts'
import { CONFIG } from './support/config.ts'
import { press, textOf } from './support/controls.ts'
import { playServer } from './support/played-server.ts'
import { PlayedStream, playStream } from './support/played-stream.ts'
import { fromClient, record } from './traffic/entries.ts'

const CONFIG_PATH = '/inspect/config.json'

function open(
  config: unknown = CONFIG,
  { hash = '', problem }: { hash?: string; problem?: string } = {},
) {
  const answers: Record<string, never> = {
    '/inspect/timeline.json': { connections: [] } as never,
    '/inspect/events.json': { types: [], subscriptions: [] } as never,
    '/inspect/state.json': {} as never,
    '/mcp': 404 as never,
    [CONFIG_PATH]: config as never,
  }
  const recorded = playServer({ answers })
  location.hash = hash
  readRoute()
  return { ...recorded, answers, ...render(<App problem={problem} />) }
}

const tabs = async () =>
  within(await screen.findByRole('navigation', { name: 'Views' })).getAllByRole('link')

beforeEach(playStream)

describe('the page', () => {
  it.each([
    ['', 'Traffic', 'Select an exchange'],
    ['#/traffic', 'Traffic', 'Select an exchange'],
    ['#/timeline', 'Timeline', 'No client has connected yet'],
    ['#/events', 'Events', 'This server has no event types'],
    ['#/state', 'State', 'Enter a subject: the indexes are per subject.'],
    ['#/try', 'Try it', 'What the server offers'],
    ['#/other', 'Traffic', 'Select an exchange'],
    ['#timeline', 'Timeline', 'No client has connected yet'],
  ])('at %j shows the tab %s', async (hash, title, text) => {
    open(CONFIG, { hash })
    expect((await screen.findAllByText(text)).length).toBeGreaterThan(0)
    expect(document.title).toBe(`${title} – Inspector – fixture`)
    const current = (await tabs()).filter((tab) => tab.hasAttribute('aria-current'))
    expect(current.map(textOf)).toEqual([title])
    expect(current[0]?.getAttribute('aria-current')).toBe('page')
  })

  it('follows the address', async () => {
    open()
    await screen.findByText('Select an exchange')
    act(() => navigate('timeline'))
    window.dispatchEvent(new Event('hashchange'))
    await screen.findByText('No client has connected yet')
    expect(document.title).toBe('Timeline – Inspector – fixture')
  })

  it.each([
    [true, ['Traffic', 'Timeline', 'Events', 'State', 'Try it']],
    [false, ['Traffic', 'Timeline', 'State', 'Try it']],
  ])('of a server with events: %s has these tabs', async (events, titles) => {
    open({ ...CONFIG, events })
    await screen.findByText('Select an exchange')
    const links = await tabs()
    expect(links.map(textOf)).toEqual(titles)
    expect(links.at(-1)?.getAttribute('href')).toBe('#/try')
  })

  it('names its server and its version', async () => {
    open({ ...CONFIG, serverName: 'x'.repeat(61), version: '2.3.4' })
    await screen.findByText('2.3.4')
    const heading = screen.getByRole('heading', { level: 1 })
    expect(textOf(heading)).toBe(`Inspector${'x'.repeat(59)}… 2.3.4`)
  })

  it('moves the focus to its content', async () => {
    open()
    press('Skip to the content')
    expect(document.activeElement).toBe(screen.getByRole('main'))
  })

  it('says why a sign-in failed, and nothing where none did', async () => {
    const { unmount } = open(CONFIG, { problem: 'The person has denied it' })
    expect(textOf(screen.getByRole('alert'))).toBe('The sign-in failedThe person has denied it')
    unmount()
    open()
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('shows a message in the place of a part that cannot be shown, and the other tabs', async () => {
    record(fromClient({}), { kind: 'message', exchange: 'x', number: 1e9, at: 'soon' } as never)
    record({ kind: 'refusal', exchange: 'x', number: 1e9 + 1, name: undefined } as never)
    open()
    const alert = await screen.findByRole('alert')
    expect(textOf(alert)).toMatch(/^This cannot be shown.+Reload the page\./)
    act(() => route.set({ tab: 'timeline', rest: [] }))
    await screen.findByText('No client has connected yet')
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

describe('the page without its server', () => {
  it.each([
    [401, /does not show this to you \(401\)\. In production, sign in at \/account/],
    [403, /does not show this to you \(403\)/],
    [404, /does not show this to you \(404\)/],
    [429, 'Too many requests. Wait for a moment, then try again.'],
    [500, 'The server answered 500. Its log has the cause.'],
    [400, 'The server answered 400. Its log has the cause.'],
    [new TypeError('failed'), 'The server does not answer. Check that it is running.'],
  ])('says what to do: %s', async (config, text) => {
    open(config)
    expect(screen.getByText('Loading…')).toBeTruthy()
    await screen.findByText(text)
    expect(screen.queryByText('Loading…')).toBeNull()
    expect(PlayedStream.opened).toHaveLength(0)
    expect(screen.queryByRole('status')).toBeNull()
    expect(document.title).toBe('Traffic – Inspector')
  })

  it('is shown when another reading succeeds', async () => {
    const { answers, requested } = open(503)
    await screen.findByText('This could not be read')
    answers[CONFIG_PATH] = CONFIG as never
    press('Try again')
    await screen.findByText('Select an exchange')
    expect(requested.filter((each) => each.endsWith(CONFIG_PATH))).toHaveLength(2)
  })
})

describe('the state of the stream', () => {
  it.each<[StreamState, string]>([
    ['connecting', 'Connecting'],
    ['live', 'Live'],
    ['reconnecting', 'Reconnecting'],
    ['signed-out', 'Signed out.Sign in'],
    ['no-owner', 'This server is no longer shown to you.'],
  ])('%s is said', async (stream, text) => {
    open()
    await screen.findByRole('status')
    act(() => trafficLog.set({ ...trafficLog.value, stream }))
    expect(textOf(screen.getByRole('status'))).toBe(text)
    expect(screen.getByRole('status').className).toBe(`stream ${stream}`)
    const link = within(screen.getByRole('status')).queryByRole('link')
    expect(link?.getAttribute('href') ?? null).toBe(stream === 'signed-out' ? '/inspect' : null)
  })

  it.each<[StreamState, string, string]>([
    ['live', 'Paused', 'stream paused'],
    ['reconnecting', 'Reconnecting', 'stream reconnecting'],
  ])('%s is said as %s while the list is paused', async (stream, text, name) => {
    open()
    await screen.findByRole('status')
    act(() => {
      trafficLog.set({ ...trafficLog.value, stream })
      pause()
    })
    expect(textOf(screen.getByRole('status'))).toBe(text)
    expect(screen.getByRole('status').className).toBe(name)
  })

  it('is read from one stream, which ends with the page', async () => {
    const { unmount } = open()
    await screen.findByRole('status')
    expect(PlayedStream.opened).toHaveLength(1)
    unmount()
    await waitFor(() => expect(PlayedStream.last.readyState).toBe(PlayedStream.CLOSED))
  })
})

describe('the address', () => {
  it.each([
    ['#/try/tools/a%2Fb', { tab: 'try', rest: ['tools', 'a/b'] }],
    ['#/try//tools/', { tab: 'try', rest: ['tools'] }],
    ['#/try/%E0%A4%A', { tab: 'try', rest: [] }],
    ['#/%74ry', { tab: 'try', rest: [] }],
  ])('%s is read as %j', (hash, expected) => {
    history.replaceState(null, '', hash)
    readRoute()
    expect(route.value).toEqual(expected)
  })

  it('of an item contains its id', () => {
    expect(hrefOf('try', 'resources', 'a://b c')).toBe('#/try/resources/a%3A%2F%2Fb%20c')
  })
})
