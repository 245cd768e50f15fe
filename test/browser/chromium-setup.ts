/** Global setup: starts one Chromium for all test files of the project, and provides its address. */
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { findChromium } from './find-chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests connect to the browser, as a WebSocket URL. */
    browserEndpoint: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({
    executablePath: await findChromium(),
    // Chromium's sandbox does not run as root, as in containers.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  project.provide('browserEndpoint', server.wsEndpoint())
  return () => server.close()
}
