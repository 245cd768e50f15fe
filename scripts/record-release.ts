/**
 * `npm run record-release -- [--out DIR] [--at TIME]`: records the golden state of the present version,
 * in `test/upgrade/releases/<version>` unless another directory is given. TIME is ISO 8601, default now.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { RELEASES } from '../test/upgrade/golden-state.ts'
import { recordRelease } from '../test/upgrade/record-release.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { endWithUsage, readFlags } from './support/read-flags.ts'

const USAGE = 'npm run record-release -- [--out DIR] [--at TIME]'
const values = readFlags(USAGE, { out: { type: 'string' }, at: { type: 'string' } })
const { version } = JSON.parse(readFileSync(join(PROJECT_DIRECTORY, 'package.json'), 'utf8'))
const directory = values.out ?? join(RELEASES, version)
const at = values.at === undefined ? Date.now() : Date.parse(values.at)
if (Number.isNaN(at)) endWithUsage('--at takes a time in ISO 8601', USAGE)
await recordRelease(directory, at)

const files = readdirSync(directory).map((name) => join(directory, name))
const sizes = files.map((path) => statSync(path).size)
const lines = files.map((path, index) => `${sizes[index]}\t${relative(PROJECT_DIRECTORY, path)}`)
const total = sizes.reduce((sum, size) => sum + size, 0)
process.stdout.write(`${lines.join('\n')}\n${total}\tbytes in all\n`)
