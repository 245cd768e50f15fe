/** The list `features`: what cannot be installed together, and what an app has without a feature. */
import { describe, expect, it } from 'vitest'
import { admin } from '../../packages/inspector/src/admin/index.ts'
import { timeline } from '../../packages/inspector/src/timeline/index.ts'
import { createFeature } from '../../src/feature/create-feature.ts'
import type { Feature, FeatureParts } from '../../src/feature/feature.ts'
import { defineFeature } from '../../src/feature/index.ts'
import { changes } from '../../src/features/changes/index.ts'
import { files } from '../../src/features/files/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { state } from '../../src/features/state/index.ts'
import { tasks } from '../../src/features/tasks/index.ts'
import { asks, createEdgeway, type Edgeway, keyring, McpServer } from '../../src/index.ts'
import { partsOf } from '../support/opened-objects.ts'

const server = () => new McpServer({ name: 'features', version: '1.0.0' })

/** As a caller without types passes it. */
const create = (features: unknown) => createEdgeway(server(), { features } as never) as never

const feature = (name: string, parts: FeatureParts, needs: readonly Feature[] = []) =>
  createFeature<string, object>(name, () => parts, needs)

/** A value as another copy of the package makes it. */
const foreign = { name: 'sessions', [Symbol('edgeway.feature')]: {} }

class Log {}
const stored = (name: string) => defineFeature({ name, objects: { AUDIT_LOG: Log } })
const run = async () => '{}'

describe('createEdgeway with features', () => {
  it.each([
    ['a value instead of a list', sessions(), 'features must be a list of values like sessions()'],
    ['a name', ['sessions'], 'features must be a list of values like sessions() and tasks()'],
    ['true', [true], 'features must be a list of values like'],
    ['a function', [tasks], 'features: tasks is a function. Pass its value: tasks()'],
    ['a feature twice', [asks(), asks()], 'features: asks() is passed twice'],
    [
      'a value of another copy of the package',
      [foreign],
      'features: sessions() comes from another copy of the package edgeway. Install it once',
    ],
    [
      'two features with one binding',
      [stored('first'), stored('second')],
      'features: first() and second() both bring the binding AUDIT_LOG',
    ],
    [
      'two features with one member of the app',
      [timeline(), feature('second', { api: { timeline: () => undefined } })],
      'features: timeline() and second() both bring edgeway.timeline',
    ],
    [
      'two features with one member of the context',
      [asks(), feature('second', { dispatch: { context: { elicit: () => undefined as never } } })],
      'features: asks() and second() both bring ctx.elicit',
    ],
    [
      'two features with one method',
      [
        tasks(),
        feature('second', { dispatch: { methods: [{ method: 'tasks/get', era: 'modern', run }] } }),
      ],
      'features: tasks() and second() both bring tasks/get of the modern era',
    ],
    [
      'two features with one path',
      [
        feature('first', { routes: () => [{ path: '/same', handle: () => new Response() }] }),
        feature('second', { routes: () => [{ path: '/same', handle: () => new Response() }] }),
      ],
      'features: first() and second() both bring the path /same',
    ],
  ] as const)('refuses %s', (_, features, message) => {
    expect(() => create(features)).toThrow(message)
  })

  it('installs what a feature needs once, before it, with the options of the author', () => {
    const installed: string[] = []
    const base = (options: string) =>
      createFeature('base', () => {
        installed.push(options)
        return {}
      })
    const upper = (name: string) =>
      createFeature(name, () => {
        installed.push(name)
        return {}
      }, [base('default')])
    create([upper('a'), upper('b'), base('of the author')])
    expect(installed).toEqual(['of the author', 'a', 'b'])
  })
})

describe('an app without a feature', () => {
  it.each([
    ['notify', 'changes'],
    ['tasks', 'tasks'],
    ['timeline', 'timeline'],
    ['admin', 'admin'],
  ])('throws the name of the value when edgeway.%s is read', (member, name) => {
    const edgeway: Record<string, unknown> = create([])
    expect(() => edgeway[member]).toThrow(`edgeway.${member} needs features: [${name}()]`)
  })

  it.each([false, null, undefined])('has undefined members where a condition gave %s', (value) => {
    const edgeway = createEdgeway(server(), { features: [sessions(), value && tasks()] })
    expect(edgeway.tasks).toBeUndefined()
    expect(edgeway.Objects).toBeTypeOf('function')
  })

  it('can be copied and printed', () => {
    const edgeway: object = create([])
    expect(Object.keys({ ...edgeway })).toEqual(expect.arrayContaining(['fetch', 'app', 'Objects']))
    expect(() => JSON.stringify(edgeway)).not.toThrow()
  })
})

describe('the kinds of objects of an app', () => {
  const KEYRING = ['keyring', 'principals', 'redeemed']

  it.each([
    ['asks()', [asks()], KEYRING],
    ['keyring()', [keyring()], KEYRING],
    ['sessions()', [sessions()], [...KEYRING, 'session']],
    ['tasks()', [tasks()], [...KEYRING, 'task']],
    ['state()', [state()], [...KEYRING, 'state']],
    ['files()', [files()], [...KEYRING, 'state']],
    ['changes()', [changes()], ['hub']],
    ['timeline()', [timeline()], ['timeline']],
    ['admin()', [admin()], []],
  ])('of %s are those of the feature and of what it needs', (_, features, kinds) => {
    const edgeway: Edgeway = create(features)
    const found = Object.keys(partsOf(edgeway)).filter((kind) => kind !== 'place')
    expect(found.sort()).toEqual(kinds)
  })
})
