/**
 * `npm run readme-numbers`: writes the figures of README.md, with the date of today for what the tables of the tests
 * count, and the output of `npm run kill-demo`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { readFlags } from './support/read-flags.ts'
import { proofTable, withSection } from './support/readme-proof.ts'

readFlags('npm run readme-numbers', {})

const README = join(PROJECT_DIRECTORY, 'README.md')
const output = execFileSync(process.execPath, [join(PROJECT_DIRECTORY, 'scripts/kill-demo.ts')], {
  encoding: 'utf8',
})
const killDemo = `\`\`\`text\n${output}\`\`\``
const today = new Date().toISOString().slice(0, 10)
const withFigures = withSection(readFileSync(README, 'utf8'), 'proof', proofTable(today))
writeFileSync(README, withSection(withFigures, 'kill-demo', killDemo))
