import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { type Consumer, REPORT } from './consumer.ts'

/** Resolves when the package is installed. @throws {Error} if it could not be packed or installed */
export async function installedConsumer(): Promise<Consumer> {
  const file = join(inject('consumer'), REPORT)
  while (!existsSync(file)) await sleep(200)
  const report: Consumer | { readonly error: string } = JSON.parse(readFileSync(file, 'utf8'))
  if ('error' in report) throw new Error(report.error)
  return report
}
