/** Formats the cells and rows of the report's table. */
import type { Spread } from '../measure/statistics.ts'

export function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

export function range({ min, max }: Spread, digits: number): string {
  return `${min.toFixed(digits)}–${max.toFixed(digits)}`
}

export function times(ratio: number | undefined): string {
  return ratio === undefined ? '—' : ratio.toFixed(2)
}
