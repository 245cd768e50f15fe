/**
 * A small world around one run: an object with storage and memory, a handler, and a client. It applies
 * the effects of the state machine as an object would, and can be killed between any two of them.
 */
import type {
  DurableEffect,
  MemoryEffect,
  RunEvent,
  RunState,
} from '../../../durable-objects/run/run-state.ts'
import { EMPTY_STATE } from '../../../src/dispatch/journal/journal.ts'
import { Suspension } from '../../../src/dispatch/journal/suspension.ts'
import {
  type Applier,
  copyWorld,
  countAnswers,
  type Entry,
  LATER,
  LIMITS,
  MAX_POSITION,
  NOW,
  type World,
  type WorldEvent,
} from './world.ts'

/** Every world that an event can lead to: one without a kill, and one for each point of a kill. */
export function stepWorld(before: World, event: WorldEvent, applier: Applier): readonly World[] {
  const worlds: World[] = []
  // The number of effects that are applied before the object is killed.
  for (let budget = 0; ; budget++) {
    const object = new ModelObject(copyWorld(before), applier, budget)
    const happened = object.handle(event)
    if (!happened) return worlds
    worlds.push(object.world)
    if (!object.wasKilled) return worlds
  }
}

class ModelObject {
  readonly world: World
  readonly #applier: Applier
  #budget: number
  #isRenewed = false
  wasKilled = false

  constructor(world: World, applier: Applier, budget: number) {
    this.world = world
    this.#applier = applier
    this.#budget = budget
  }

  /** False for an event that cannot happen in this world. */
  handle(event: WorldEvent): boolean {
    const { world } = this
    const { memory, storage, client } = world
    const position = memory?.handler ?? null
    const canContinue = position !== null && position < MAX_POSITION
    switch (event) {
      case 'start':
        if (world.hasStarted || world.isTerminated) return false
        world.hasStarted = true
        world.memory = { state: { name: 'quick' }, handler: 0, journal: {} }
        return true
      case 'persist':
        return position !== null && this.#feedLive({ type: 'persist' })
      case 'notify':
        return canContinue && this.#notify(position)
      case 'step':
        return canContinue && this.#step(position)
      case 'ask':
        return canContinue && this.#ask([`ask-${position}`])
      case 'ask twice':
        return canContinue && this.#ask([`ask-${position}`, `other-${position}`])
      case 'settle':
        return position !== null && this.#feedLive({ type: 'settle', answer: 'result' })
      case 'answer right':
        return this.#respond('good')
      case 'answer wrong':
        return this.#respond('bad')
      case 'answer again':
        return this.#respondAgain()
      case 'caller renewed':
        return this.#renew(true)
      case 'caller revoked':
        return this.#renew(false)
      case 'caller unreachable':
        if (memory?.state.name !== 'ready') return false
        world.memory = null
        return true
      case 'cancel':
        if (!world.hasStarted || client.hasCancelled) return false
        return this.#cancel()
      case 'kill':
        if (memory === null) return false
        this.#loseMemory()
        return true
      case 'alarm':
        if (!storage.hasAlarm) return false
        this.#recover()
        this.#feedRow({ type: 'expire', now: NOW })
        // The platform repeats the alarm of a killed object. An object with rows sets its next one.
        storage.hasAlarm = this.wasKilled || storage.row !== null
        return true
      case 'resume':
        if (client.isConnected) return false
        this.#recover()
        client.isConnected = !this.wasKilled
        return true
      case 'time out': {
        const state = storage.row?.state
        if (state?.name !== 'waiting' || state.expiresAt <= NOW) return false
        storage.row = storage.row && { ...storage.row, state: { ...state, expiresAt: NOW } }
        return true
      }
      case 'late handler':
        return this.#continueLate()
      case 'terminate':
        return !world.isTerminated && this.#terminate()
      case 'slow reader':
        if (!client.isConnected || storage.log.length === 0) return false
        client.isConnected = false
        // A full log prunes notifications, and nothing else.
        storage.log = storage.log.filter((text) => !text.startsWith('note'))
        return true
    }
  }

  #cancel(): boolean {
    const { world } = this
    const isFirst = countAnswers(world) === 0
    this.#feed({ type: 'cancel' })
    // A cancellation that a kill prevented was not acknowledged.
    world.client.hasCancelled = isFirst && (!this.wasKilled || world.storage.row === null)
    return true
  }

  /** A handler that was given up sends, asks and returns all the same. */
  #continueLate(): boolean {
    const { late } = this.world
    if (late === null) return false
    const suspension = new Suspension({ late: {} }, EMPTY_STATE, false)
    this.#apply(late, { type: 'notify', message: 'note late' })
    this.#apply(late, { type: 'ask', suspension, expiresAt: LATER })
    this.#apply(late, { type: 'settle', answer: 'result' })
    this.world.late = null
    return true
  }

  #terminate(): boolean {
    const { world } = this
    this.#feed({ type: 'terminate' })
    if (this.wasKilled) return true
    world.isTerminated = true
    world.storage = { row: null, log: [], hasAlarm: false }
    return true
  }

  #notify(position: number): boolean {
    const { storage, memory } = this.world
    const message = `note ${position}`
    if (memory !== null) memory.handler = position + 1
    // The record of what was sent keeps a later round from sending it again.
    if (storage.log.includes(message)) return true
    return this.#feedLive({ type: 'notify', message })
  }

  #step(position: number): boolean {
    const { memory, storage, steps, isRepeatable, violations } = this.world
    const key = `step-${position}`
    if (memory === null) return false
    memory.handler = position + 1
    if (memory.journal[key] !== undefined) return true
    steps[key] = (steps[key] ?? 0) + 1
    if (this.#isKilledHere()) {
      // Done and not recorded. A run that may be repeated does it again; any other must not.
      if (isRepeatable || storage.row === null) steps[key] -= 1
      this.#kill()
      return true
    }
    memory.journal[key] = 'step'
    if (storage.row !== null) storage.row.journal[key] = 'step'
    if ((steps[key] ?? 0) > 1) violations.push('a step runs twice')
    return true
  }

  #ask(keys: readonly string[]): boolean {
    const { memory } = this.world
    if (memory === null) return false
    const open = keys.filter((key) => memory.journal[key] !== 'good')
    if (open.length === 0) {
      memory.handler = (memory.handler ?? 0) + 1
      return true
    }
    for (const key of open) {
      if (memory.journal[key] === 'bad') {
        delete memory.journal[key]
        if (this.world.storage.row !== null) delete this.world.storage.row.journal[key]
        delete this.world.acknowledged[key]
      }
    }
    const requests = Object.fromEntries(open.map((key) => [key, {}]))
    const suspension = new Suspension(requests, EMPTY_STATE, false)
    return this.#feedLive({ type: 'ask', suspension, expiresAt: LATER })
  }

  /** The client responds to the first ask that is open. */
  #respond(value: 'good' | 'bad'): boolean {
    const { storage, acknowledged, client, violations } = this.world
    const ask = storage.row?.asks[0]
    const state = storage.row?.state
    if (ask === undefined || state?.name !== 'waiting') return false
    const response = { kind: 'fresh', value } as const
    const isAccepted = this.#feedRow({ type: 'respond', key: ask.key, response, now: NOW })
    if (this.wasKilled && storage.row?.journal[ask.key] === undefined) return true
    if (isAccepted !== state.expiresAt > NOW) violations.push('an open ask rejects its response')
    if (!isAccepted) return true
    acknowledged[ask.key] = value
    client.responded.push(ask.id)
    return true
  }

  #renew(isAuthorized: boolean): boolean {
    const { memory, storage } = this.world
    const isReady = memory?.state.name === 'ready'
    // A stream that has lost its access checks the caller of a run in any state. A quick one has no stream.
    if (isAuthorized ? !isReady : storage.row === null) return false
    this.#isRenewed = isAuthorized
    this.#feed({ type: 'renew', isAuthorized })
    if (!isAuthorized && !this.wasKilled && this.world.storage.row !== null) {
      this.world.violations.push('a run survives the access of its caller')
    }
    return true
  }

  /** The client responds to an ask that is not open: a second time, too late, or to no ask at all. */
  #respondAgain(): boolean {
    const { storage, violations } = this.world
    if (storage.row === null) return false
    const response = { kind: 'fresh', value: 'again' } as const
    for (const key of ['never-asked', ...Object.keys(storage.row.journal)]) {
      if (storage.row?.asks.some((ask) => ask.key === key)) continue
      if (this.#feedRow({ type: 'respond', key, response, now: NOW })) {
        violations.push('a closed ask accepts a response')
      }
    }
    return true
  }

  #recover(): void {
    if (this.world.memory !== null) return
    this.#feedRow({ type: 'recover', isRepeatable: this.world.isRepeatable })
  }

  /** Feeds an event to the run in memory. */
  #feedLive(event: RunEvent): boolean {
    const { memory } = this.world
    if (memory === null) return false
    this.#apply(memory.state, event)
    return true
  }

  /** Feeds an event to the run in storage, if no handler of it is in memory. */
  #feedRow(event: RunEvent): boolean {
    const { row } = this.world.storage
    if (row === null || this.wasKilled) return false
    const { name, rounds, interruptions } = row.state
    const isLive = this.world.memory !== null
    if (name === 'ready') {
      const { state } = row
      return this.#apply(isLive ? state : { ...state, wasInterrupted: true }, event)
    }
    if (name === 'waiting') {
      const openAsks = row.asks.map(({ key }) => key)
      return this.#apply({ ...row.state, openAsks }, event)
    }
    return this.#apply(isLive ? row.state : { name: 'interrupted', rounds, interruptions }, event)
  }

  #feed(event: RunEvent): boolean {
    if (!this.#feedLive(event)) this.#feedRow(event)
    return true
  }

  #apply(state: RunState, event: RunEvent): boolean {
    const { world } = this
    const { state: next, effects } = this.#applier.machine(state, event, LIMITS)
    if (world.memory !== null && state === world.memory.state) world.memory.state = next
    this.#commit(effects.durable)
    for (const effect of effects.memory) {
      if (this.#isKilledHere()) break
      this.#carryOut(effect, next)
    }
    if (!this.wasKilled && world.memory !== null) {
      const { name } = world.memory.state
      if (name !== 'quick' && name !== 'running' && name !== 'ready') {
        this.#giveUpHandler(world.memory.state)
      }
    }
    return next !== state || effects.durable.length > 0
  }

  #commit(effects: readonly DurableEffect[]): void {
    if (effects.length === 0) return
    if (this.#applier.isAtomic && this.#isKilledHere()) return
    for (const effect of effects) {
      if (!this.#applier.isAtomic && this.#isKilledHere()) return
      this.#commitOne(effect)
    }
  }

  #commitOne(effect: DurableEffect): void {
    const { storage, memory } = this.world
    const { row, log } = storage
    switch (effect.type) {
      case 'persist':
        this.world.hadRow = true
        storage.row = {
          state: { name: 'running', rounds: 0, interruptions: 0 },
          journal: { ...memory?.journal },
          asks: [],
        }
        break
      case 'save':
        if (row !== null) row.state = effect.state
        break
      case 'notify':
        log.push(effect.message)
        break
      case 'send-asks':
        for (const key of Object.keys(effect.suspension.requests)) {
          const id = `${key}#${row?.state.rounds}`
          row?.asks.push({ id, key })
          log.push(`ask ${id}`)
        }
        break
      case 'record-response':
        if (row === null) break
        row.asks = row.asks.filter(({ key }) => key !== effect.key)
        row.journal[effect.key] = effect.response.value as Entry
        break
      case 'withdraw-asks':
        for (const { id } of row?.asks ?? []) log.push(`withdrawn ${id}`)
        if (row !== null) row.asks = []
        break
      case 'answer':
      case 'fail':
        log.push('answer')
        break
      case 'finish':
        storage.row = null
        break
      case 'schedule':
        storage.hasAlarm = true
        break
    }
  }

  #carryOut(effect: MemoryEffect, state: RunState): void {
    const { world } = this
    switch (effect.type) {
      case 'reply':
        world.client.replies++
        break
      case 'renew-caller':
        if (world.memory !== null) world.violations.push('two handlers of one run')
        world.memory = { state, handler: null, journal: {} }
        break
      case 'resume':
        if (world.memory?.handler !== null) world.violations.push('two handlers of one run')
        if (!this.#isRenewed) world.violations.push('a handler resumes without its caller')
        world.memory = { state, handler: 0, journal: { ...world.storage.row?.journal } }
        break
      case 'abort':
        this.#giveUpHandler(state)
        break
    }
  }

  /** Whether the object is killed at this point. */
  #isKilledHere(): boolean {
    if (this.wasKilled) return true
    if (this.#budget > 0) {
      this.#budget--
      return false
    }
    this.#kill()
    return true
  }

  #kill(): void {
    this.wasKilled = true
    this.#loseMemory()
  }

  #giveUpHandler(state: RunState): void {
    this.world.memory = null
    this.world.late = state
  }

  #loseMemory(): void {
    this.world.memory = null
    this.world.late = null
    this.world.client.isConnected = false
  }
}
