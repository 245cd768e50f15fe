/** `npm run build:views`: builds the views of the examples. `npm ci` does so too. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { buildViews } from '../packages/cli/src/views/build-views.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'

const onWarning = (message: string) => void process.stderr.write(`${message}\n`)

for (const folder of globSync('examples/*/views', { cwd: PROJECT_DIRECTORY })) {
  await buildViews(join(PROJECT_DIRECTORY, folder), { onWarning })
}
