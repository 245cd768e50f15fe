/** Runs code of a handler in a call, and describes how an operation on state ends. */
import { expect } from 'vitest'
import { ToolError } from '../../../src/index.ts'
import type { FullContext } from '../../support/full-server.ts'
import { openAuthorizedTaskApp } from '../../support/task-server.ts'
import { TaskClient } from '../task/task-client.ts'

const authorized = openAuthorizedTaskApp()

/** A client of the server behind authorization. */
export const as = (subject: string) => new TaskClient(authorized, subject)

/** Calls a tool that runs `work`, and returns its result. Default: an anonymous modern client. */
export async function run<T>(
  work: (ctx: FullContext) => Promise<T>,
  client: TaskClient = new TaskClient(),
): Promise<T> {
  let value: T | undefined
  const { body } = await client.call('plain', async (ctx) => {
    value = await work(ctx)
    return 'done'
  })
  expect(body.result?.content, JSON.stringify(body)).toEqual([{ type: 'text', text: 'done' }])
  return value as T
}

export const create = (value: unknown, client?: TaskClient, ttlMs?: number) =>
  run((ctx) => ctx.state.create(value, { ttlMs }), client)

export const get = (handle: string, client?: TaskClient) =>
  run((ctx) => ctx.state.get(handle), client)

/** How the operation `get` ends. */
export const reasonOfGet = (handle: unknown, client?: TaskClient) =>
  run((ctx) => outcomeOf(ctx.state.get(handle as string)), client)

/** `done`, the reason of a `ToolError`, or the name of another error. */
export async function outcomeOf(operation: Promise<unknown>): Promise<string> {
  try {
    await operation
    return 'done'
  } catch (error) {
    if (error instanceof ToolError) return error.reason ?? error.name
    return error instanceof Error ? error.name : 'thrown'
  }
}
