/** The live stream of traffic: its entries, its pause, and what the page does when it ends. */
import { render, screen } from '@testing-library/preact'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { followTraffic, trafficLog } from '../../../page/traffic/traffic-log.ts'
import { TrafficView } from '../../../page/traffic/traffic-view.tsx'
import { wait } from '../support/clock.ts'
import { CONFIG } from '../support/config.ts'
import { press } from '../support/controls.ts'
import { playServer } from '../support/played-server.ts'
import { PlayedStream, playStream } from '../support/played-stream.ts'
import { entry } from './entries.ts'

const rows = () => document.querySelectorAll('a.row').length
const state = () => trafficLog.value.stream

let stop: () => void
let lastExchange = 0
const next = () => entry('opened', { exchange: `s${++lastExchange}` })

beforeEach(() => {
  vi.useFakeTimers()
  playStream()
  stop = followTraffic()
  render(<TrafficView config={CONFIG} selected={undefined} />)
  return () => stop()
})

describe('the stream of traffic', () => {
  it('begins with all that is stored, and shows what arrives together at once', async () => {
    expect([state(), PlayedStream.last.url]).toEqual(['connecting', '/inspect/traffic?after=0'])
    PlayedStream.last.open()
    expect(state()).toBe('live')
    PlayedStream.last.send(next())
    await wait(59)
    PlayedStream.last.send(next())
    expect(rows()).toBe(0)
    await wait(1)
    expect(rows()).toBe(2)
    PlayedStream.last.send(next())
    await wait(60)
    expect(rows()).toBe(3)
  })

  it('adds no entry twice, and none that is outside of an exchange', async () => {
    const [first, event] = [next(), entry('event', { exchange: '' })]
    PlayedStream.last.send(first, event, first)
    await wait(60)
    PlayedStream.last.send(first, event)
    await wait(60)
    expect(rows()).toBe(1)
    expect(trafficLog.value.exchanges[0]?.entries).toHaveLength(1)
    expect(trafficLog.value.events).toHaveLength(1)
  })

  it('remembers the last 20,000 entries that it has shown', async () => {
    const [first, second, last] = [next(), next(), next()]
    const between = Array.from({ length: 19_998 }, () => entry('span', { exchange: '' }))
    PlayedStream.last.send(first, second, ...between, last)
    await wait(60)
    press('Clear')
    PlayedStream.last.send(second, last)
    await wait(60)
    expect(rows()).toBe(0)
    PlayedStream.last.send(first)
    await wait(60)
    expect(rows()).toBe(1)
  })

  it('keeps the last 200 events, in the order of their numbers', async () => {
    const events = Array.from({ length: 201 }, () => entry('event', { exchange: '' }))
    PlayedStream.last.send(...events.toReversed())
    await wait(60)
    const numbers = trafficLog.value.events.map(({ number }) => number)
    expect(numbers).toEqual(events.slice(1).map(({ number }) => number))
  })

  it('is opened again after the last entry, later each time, until it succeeds', async () => {
    const { requested } = playServer({ answers: { '/inspect/config.json': 503 } })
    const last = next()
    PlayedStream.last.send(last)
    const failAfter = async (ms: number) => {
      const { length } = PlayedStream.opened
      PlayedStream.last.fail()
      await wait(ms - 1)
      expect(PlayedStream.opened).toHaveLength(length)
      await wait(2)
      expect(PlayedStream.opened).toHaveLength(length + 1)
    }
    for (const ms of [500, 1000, 2000, 4000, 8000, 10_000, 10_000]) await failAfter(ms)
    expect(PlayedStream.last.url).toBe(`/inspect/traffic?after=${last.number}`)
    expect(requested[0]).toBe('HEAD /inspect/config.json')
    PlayedStream.last.open()
    await failAfter(500)
  })

  it('is opened again where the server does not answer', async () => {
    playServer({ answers: { '/inspect/config.json': new TypeError('fetch failed') } })
    PlayedStream.last.fail()
    await wait(501)
    expect([PlayedStream.opened.length, state()]).toEqual([2, 'reconnecting'])
  })

  it.each([
    [401, 'signed-out'],
    [404, 'no-owner'],
  ])('ends where the page is refused with %i: %s', async (status, expected) => {
    playServer({ answers: { '/inspect/config.json': status } })
    PlayedStream.last.fail()
    await wait(60_000)
    expect([PlayedStream.opened.length, state()]).toEqual([1, expected])
  })

  it('shows nothing and opens nothing after it was closed', async () => {
    playServer({ answers: { '/inspect/config.json': 503 } })
    PlayedStream.last.send(next())
    PlayedStream.last.fail()
    stop()
    await wait(60_000)
    expect([rows(), PlayedStream.opened.length]).toEqual([0, 1])
    expect(PlayedStream.last.readyState).toBe(PlayedStream.CLOSED)
  })

  it('opens nothing when it is closed while it waits', async () => {
    playServer({ answers: { '/inspect/config.json': 503 } })
    PlayedStream.last.fail()
    await wait(100)
    stop()
    await wait(60_000)
    expect(PlayedStream.opened).toHaveLength(1)
  })
})

describe('the pause', () => {
  it('holds new entries until the list is resumed', async () => {
    PlayedStream.last.send(next())
    await wait(60)
    expect(screen.getByRole('button', { name: 'Pause' }).getAttribute('aria-pressed')).toBe('false')
    press('Pause')
    PlayedStream.last.send(next(), next())
    await wait(60)
    PlayedStream.last.send(entry('event', { exchange: '' }))
    await wait(60)
    expect(rows()).toBe(1)
    expect(trafficLog.value.events).toHaveLength(1)
    const resume = screen.getByRole('button', { name: 'Resume (3 new)' })
    expect(resume.getAttribute('aria-pressed')).toBe('true')
    press('Resume (3 new)')
    expect(rows()).toBe(3)
    expect(screen.getByRole('button', { name: 'Pause' })).toBeTruthy()
  })

  it('continues when the list is cleared, and forgets what it has held', async () => {
    PlayedStream.last.send(next())
    await wait(60)
    press('Pause')
    PlayedStream.last.send(next())
    await wait(60)
    press('Clear')
    expect(rows()).toBe(0)
    press('Resume (0 new)')
    expect(rows()).toBe(0)
  })

  it('does not begin when the list is cleared', async () => {
    PlayedStream.last.send(next())
    await wait(60)
    press('Clear')
    expect(rows()).toBe(0)
    expect(screen.getByRole('button', { name: 'Pause' })).toBeTruthy()
    PlayedStream.last.send(next())
    await wait(60)
    expect(rows()).toBe(1)
  })
})
