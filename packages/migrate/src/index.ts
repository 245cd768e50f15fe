/** What the command `migrate` loads when it runs. */
export { ignoredBy, treeState } from './git.ts'
export { planMigration } from './migrate.ts'
export * as report from './report.ts'
export { writeEdits } from './write-edits.ts'
