/** Global setup: provides the path of Chromium as `chromiumPath`. */
import type { TestProject } from 'vitest/node'
import { findChromium } from './find-chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    chromiumPath: string
  }
}

export default async function setup(project: TestProject): Promise<void> {
  project.provide('chromiumPath', await findChromium())
}
