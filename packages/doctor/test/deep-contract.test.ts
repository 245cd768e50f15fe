/** The contract of a running server whose definition no file of a contract can have. */

import { describe, it } from 'vitest'
import { nestsTool } from '../../faults/test/planted/definitions.ts'
import { readServerSource } from '../../publish/src/contract/server-source.ts'
import { CommandError } from '../../text/src/command-error.ts'
import { startReferenceServer } from './reference-server.ts'

describe('the contract of a running server', () => {
  it.for([300, 20_000])('names a tool that nests %i levels', async (levels, context) => {
    const { expect, onTestFinished } = context
    const server = await startReferenceServer({ defect: nestsTool(levels) })
    onTestFinished(() => server.stop())
    const reading = readServerSource(new URL(server.url), { timeoutMs: 5000 }, undefined)
    await expect(reading).rejects.toThrow(CommandError)
    await expect(reading).rejects.toThrow('The tool "greet" nests more than 190 levels')
  })
})
