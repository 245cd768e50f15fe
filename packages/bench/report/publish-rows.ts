/** The rows of the table for `publish`. */
import { LISTENERS, type Publication, type PublishSeries } from '../measure/publish.ts'
import { ratioOf, spreadOf } from '../measure/statistics.ts'
import { range, row, times } from './cells.ts'

const FIGURES: readonly { title: string; of: (publication: Publication) => number }[] = [
  {
    title: `publish to ${LISTENERS} listeners, last delivery`,
    of: ({ milliseconds }) => milliseconds,
  },
  {
    title: `publish to ${LISTENERS} listeners, processor time`,
    of: ({ cpuMilliseconds }) => cpuMilliseconds,
  },
]

export function publishRows(series: readonly PublishSeries[]): string[] {
  return FIGURES.flatMap(({ title, of }) => {
    const edgeway = series.find(({ lane }) => lane.folder === 'edgeway')?.publications.map(of)
    return series.map(({ lane, publications }) => {
      const values = publications.map(of)
      const spread = spreadOf(values)
      return row(
        title,
        lane.name,
        `${spread.median.toFixed(1)} ms`,
        range(spread, 1),
        '',
        '—',
        times(edgeway === undefined ? undefined : ratioOf(values, edgeway).median),
      )
    })
  })
}
