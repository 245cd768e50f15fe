import { describe, expect, it } from 'vitest'
import { decideRun } from '../../../durable-objects/run/decide-run.ts'
import { BROKEN_MACHINES } from './broken-machines.ts'
import { explore } from './explore.ts'
import type { Machine } from './world.ts'

/** An exploration computes for some seconds, and longer on a busy machine. */
const TIMEOUT_MS = 120_000

/** Events of the longest sequences. */
const DEPTH = 8

describe('the run state machine', () => {
  it(
    'violates no invariant in any sequence of eight events, with a kill between any two effects',
    () => {
      const [states, effects, failures] = [new Set(), new Set(), new Set()]
      const machine: Machine = (state, event, limits) => {
        const decision = decideRun(state, event, limits)
        states.add(state.name)
        for (const effect of [...decision.effects.durable, ...decision.effects.memory]) {
          effects.add(effect.type)
          if (effect.type === 'fail') failures.add(effect.failure)
        }
        return decision
      }
      const { worlds, depth, violations } = explore({ machine, isAtomic: true }, DEPTH)
      expect(violations).toEqual([])
      expect(depth).toBe(DEPTH)
      expect(worlds).toBeGreaterThan(10_000)
      // An exploration that does not reach a part of the machine says nothing about it.
      expect([...states].sort()).toEqual([
        'answered',
        'cancelled',
        'interrupted',
        'quick',
        'ready',
        'running',
        'waiting',
      ])
      expect([...effects].sort()).toEqual([
        'abort',
        'answer',
        'fail',
        'finish',
        'notify',
        'persist',
        'record-response',
        'renew-caller',
        'reply',
        'resume',
        'save',
        'schedule',
        'send-asks',
        'withdraw-asks',
      ])
      expect([...failures].sort()).toEqual([
        'access-revoked',
        'asks-expired',
        'interrupted',
        'interrupted-too-often',
        'too-many-rounds',
      ])
    },
    TIMEOUT_MS,
  )
})

describe('the exploration', () => {
  it.each(BROKEN_MACHINES)(
    'finds "$violates" in a machine where $defect',
    ({ applier, violates }) => {
      const { violations } = explore(applier, DEPTH, violates)
      expect(violations.map(({ invariant }) => invariant)).toContain(violates)
    },
    TIMEOUT_MS,
  )
})
