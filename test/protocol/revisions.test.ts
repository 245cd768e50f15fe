import { describe, expect, it } from 'vitest'
import {
  findRevision,
  MODERN,
  MODERN_VERSIONS,
  NEWEST_SESSION,
  negotiateSession,
  OLDEST_SESSION,
  REVISIONS,
  UNDECLARED_SESSION,
} from '../../src/protocol/revisions.ts'
import { verifies } from '../support/verifies.ts'

describe('negotiateSession', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'answers %s with the same revision',
    (requested) => {
      verifies('lifecycle/supported-version-is-echoed')
      expect(negotiateSession(requested).id).toBe(requested)
    },
  )

  it.each([
    ['the modern revision', '2026-07-28'],
    ['a revision that does not exist yet', '2099-01-01'],
    ['a revision that never existed', '2025-01-01'],
    ['a draft', 'DRAFT-2025-v2'],
    ['an empty text', ''],
    ['a revision with white space', ' 2025-06-18'],
    ['a name that every object has', 'constructor'],
  ])('answers %s with the newest revision of sessions', (_, requested) => {
    verifies('lifecycle/other-version-is-offered')
    expect(negotiateSession(requested).id).toBe('2025-11-25')
  })
})

describe('the table of revisions', () => {
  it('lists each revision with its era, newest first', () => {
    expect(REVISIONS.map(({ id, era }) => [id, era])).toEqual([
      ['2026-07-28', 'modern'],
      ['2025-11-25', 'session'],
      ['2025-06-18', 'session'],
      ['2025-03-26', 'session'],
      ['2024-11-05', 'http-sse'],
    ])
  })

  it.each([
    [
      '2026-07-28',
      [
        'audioAndAnnotations',
        'structuredOutput',
        'icons',
        'richAsks',
        'polling',
        'extensions',
        'anySchema',
      ],
    ],
    [
      '2025-11-25',
      [
        'audioAndAnnotations',
        'structuredOutput',
        'icons',
        'richAsks',
        'polling',
        'tasks',
        'extensions',
      ],
    ],
    ['2025-06-18', ['audioAndAnnotations', 'structuredOutput']],
    ['2025-03-26', ['audioAndAnnotations', 'batching']],
    ['2024-11-05', []],
  ])('gives %s the features %j', (id, features) => {
    const all = Object.entries(findRevision(id)?.features ?? {})
    expect(all.filter(([, has]) => has).map(([name]) => name)).toEqual(features)
    expect(all).toHaveLength(9)
  })

  it('finds no revision of an unknown id', () => {
    expect(findRevision('2025-01-01')).toBeUndefined()
    expect(findRevision('__proto__')).toBeUndefined()
  })

  it('names the revisions that stand for a role', () => {
    const roles = { MODERN, NEWEST_SESSION, OLDEST_SESSION, UNDECLARED_SESSION }
    expect(Object.fromEntries(Object.entries(roles).map(([role, { id }]) => [role, id]))).toEqual({
      MODERN: '2026-07-28',
      NEWEST_SESSION: '2025-11-25',
      OLDEST_SESSION: '2024-11-05',
      UNDECLARED_SESSION: '2025-03-26',
    })
    expect(MODERN_VERSIONS).toEqual(['2026-07-28'])
  })
})
