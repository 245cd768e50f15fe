// features: rate-limits
import { describe, expect, it } from 'vitest'
import { McpServer } from '../../src/index.ts'
import { createFullEdgeway, type FullOptions } from '../support/full-app.ts'
import { createLimitedServer } from './limited-server.ts'

const server = () => new McpServer({ name: 'options', version: '1.0.0' })

/** Options as an author who writes no types can pass them. */
const open = (rateLimits: unknown) =>
  createFullEdgeway(server(), { rateLimits: rateLimits as FullOptions['rateLimits'] })

describe('the option rateLimits', () => {
  it.each([
    ['a limit of 0', { limit: 0 }, 'limit must be an integer of at least 1'],
    ['a negative limit', { limit: -1 }, 'limit must be an integer of at least 1'],
    ['a limit of NaN', { limit: Number.NaN }, 'limit must be an integer of at least 1'],
    ['an infinite limit', { limit: Number.POSITIVE_INFINITY }, 'limit must be an integer'],
    ['a fractional limit', { limit: 1.5 }, 'limit must be an integer of at least 1'],
    ['a limit that is text', { limit: '5' }, 'limit must be an integer of at least 1'],
    ['no limit', {}, 'limit must be an integer of at least 1'],
    ['a period of 30 seconds', { limit: 1, periodSeconds: 30 }, 'periodSeconds must be 10 or 60'],
    ['a period of 0', { limit: 1, periodSeconds: 0 }, 'periodSeconds must be 10 or 60'],
    ['a period of NaN', { limit: 1, periodSeconds: Number.NaN }, 'periodSeconds must be 10 or 60'],
    ['a period that is text', { limit: 1, periodSeconds: '60' }, 'periodSeconds must be 10 or 60'],
    ['a period of null', { limit: 1, periodSeconds: null }, 'periodSeconds must be 10 or 60'],
    ['an unknown member', { limit: 1, period: 60 }, 'has no option "period"'],
    ['a number instead of a class', 5, 'must be { limit, periodSeconds } or false'],
    ['true instead of a class', true, 'must be { limit, periodSeconds } or false'],
    ['null instead of a class', null, 'must be { limit, periodSeconds } or false'],
  ])('refuses a class with %s', (_, limit, message) => {
    for (const name of ['network', 'own']) {
      expect(() => open({ classes: { [name]: limit } })).toThrow(TypeError)
      expect(() => open({ classes: { [name]: limit } })).toThrow(message)
      expect(() => open({ classes: { [name]: limit } })).toThrow(`rateLimits.classes["${name}"]`)
    }
  })

  it.each(['', 'Own', 'own_class', '1', '-a', 'a b', 'a'.repeat(41), '__proto__'])(
    'refuses the class name "%s"',
    (name) => {
      const classes = Object.fromEntries([[name, { limit: 1 }]])
      expect(() => open({ classes })).toThrow('use 1 to 40 of the characters a-z 0-9 -')
    },
  )

  it.each([
    '160.79.104.0',
    '160.79.104.0/33',
    '160.79.104.0/0',
    '160.79.104.0/x',
    '160.79.104.0/-1',
    '160.79.104.0/21/2',
    '160.79.104/21',
    '2001:db8::/129',
    'example.com/24',
    '/24',
    '',
    160,
    null,
    undefined,
  ])('refuses the range "%s" of a hosted network', (range) => {
    expect(() => open({ hostedNetworks: { mine: [range] } })).toThrow(
      `rateLimits.hostedNetworks: "${range}" must be like 160.79.104.0/21`,
    )
  })

  it('refuses an option that does not exist', () => {
    expect(() => open({ network: { limit: 5 } })).toThrow('There is no option "rateLimits.network"')
  })

  it('refuses a tool whose class does not exist', () => {
    expect(() => createFullEdgeway(createLimitedServer())).toThrow(
      'Tool "echo": limitClass "costly" is not in rateLimits.classes',
    )
  })

  it.each(['principal', 'network', 'sign-in'])(
    'refuses a tool that names the built-in class %s',
    (limitClass) => {
      const own = server().registerTool('own', { limitClass }, () => 'x')
      expect(() => createFullEdgeway(own)).toThrow(
        `limitClass "${limitClass}" counts other requests`,
      )
    },
  )

  it('refuses a limitClass that is no text at registration', () => {
    const limitClass = 5 as unknown as string
    expect(() => server().registerTool('own', { limitClass }, () => 'x')).toThrow(
      'Tool "own": limitClass must be the name of a class of rateLimits',
    )
  })

  it('accepts tools with any class when it is false', () => {
    expect(() => createFullEdgeway(createLimitedServer(), { rateLimits: false })).not.toThrow()
  })

  it('accepts no hosted networks, and all built-in classes', () => {
    expect(() =>
      open({ hostedNetworks: {}, classes: { token: { limit: 5, periodSeconds: 10 } } }),
    ).not.toThrow()
  })
})
