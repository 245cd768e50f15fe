/** Global setup: starts one fixture server for all test files of a project and provides its URL. */
import type { TestProject } from 'vitest/node'
import { startFixtureServer } from './fixture-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The MCP endpoint of the fixture server. */
    fixtureUrl: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startFixtureServer()
  project.provide('fixtureUrl', server.url)
  return () => server.stop()
}
