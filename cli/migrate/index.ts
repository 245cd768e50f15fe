/** What the command `migrate` loads when it runs. */
export { ignoredBy, treeState } from './git.ts'
export { planMigration } from './migrate.ts'
export { MigrateError } from './migrate-error.ts'
export * as report from './report.ts'
export { writeEdits } from './write-edits.ts'
