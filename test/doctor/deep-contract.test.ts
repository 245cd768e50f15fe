/** The contract of a running server whose definition no file of a contract can have. */
import { describe, it } from 'vitest'
import { ProjectError } from '../../cli/config/project-error.ts'
import { readServerSource } from '../../cli/contract/server-source.ts'
import { onMethod } from './defects.ts'
import { startReferenceServer, TOOL } from './reference-server.ts'

describe('the contract of a running server', () => {
  it.for([300, 20_000])('names a tool that nests %i levels', async (levels, context) => {
    const { expect, onTestFinished } = context
    const nested = `${'{"items":'.repeat(levels)}{}${'}'.repeat(levels)}`
    const deepTool = JSON.stringify(TOOL).replace('"properties":{}', `"properties":{"a":${nested}}`)
    const server = await startReferenceServer({
      defect: onMethod(
        'tools/list',
        (_, next) =>
          next && { ...next, body: String(next.body).replace(JSON.stringify(TOOL), deepTool) },
      ),
    })
    onTestFinished(() => server.stop())
    const reading = readServerSource(new URL(server.url), { timeoutMs: 5000 }, undefined)
    await expect(reading).rejects.toThrow(ProjectError)
    await expect(reading).rejects.toThrow('The tool "greet" nests more than 190 levels')
  })
})
