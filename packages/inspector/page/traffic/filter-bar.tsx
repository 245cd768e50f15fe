/** The filters of the list, and its pause, order, clear and file. */
import { countOf } from '../elements/figures.ts'
import { SmallButton } from '../elements/small-button.tsx'
import { shortened, visible } from '../elements/text.tsx'
import type { Exchange } from './exchange.ts'
import { CHOICES, type Choice, type Filters, NO_FILTERS, optionsOf } from './filters.ts'
import { saveTraffic } from './save-traffic.ts'
import { clear, pause, resume } from './traffic-log.ts'

interface FilterBarProps {
  readonly exchanges: readonly Exchange[]
  /** Those that match the filters. */
  readonly shown: readonly Exchange[]
  /** Entries that wait while the list is paused; undefined while it is not. */
  readonly held: number | undefined
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
  readonly isNewestFirst: boolean
  readonly onOrder: (isNewestFirst: boolean) => void
}

const LABELS: Readonly<Record<Choice, string>> = {
  method: 'Method',
  revision: 'Revision',
  client: 'Client',
  session: 'Session',
}

export function FilterBar({
  exchanges,
  shown,
  held,
  filters,
  onFilters,
  isNewestFirst,
  onOrder,
}: FilterBarProps) {
  const active =
    CHOICES.filter((choice) => filters[choice] !== '').length + Number(filters.onlyMarked)
  return (
    <div class="toolbar">
      <div class="toolbar-row">
        <SmallButton
          aria-pressed={held !== undefined}
          onClick={held === undefined ? pause : resume}
        >
          {held === undefined ? 'Pause' : `Resume (${held} new)`}
        </SmallButton>
        <SmallButton onClick={clear}>Clear</SmallButton>
        <SmallButton aria-pressed={!isNewestFirst} onClick={() => onOrder(!isNewestFirst)}>
          Follow at the end
        </SmallButton>
        <SmallButton disabled={shown.length === 0} onClick={() => saveTraffic(shown)}>
          Save as JSON Lines
        </SmallButton>
      </div>
      <span class="quiet count">{countOf(exchanges.length, 'exchange')}</span>
      <details class="filters">
        <summary>Filters{active > 0 && <span class="badge accent">{active}</span>}</summary>
        <div class="filter-grid">
          {CHOICES.map((choice) => (
            <label key={choice}>
              <span>{LABELS[choice]}</span>
              <select
                value={filters[choice]}
                onChange={({ currentTarget }) =>
                  onFilters({ ...filters, [choice]: currentTarget.value })
                }
              >
                <option value="">All</option>
                {optionsOf(exchanges, choice, filters[choice]).map((value) => (
                  <option key={value} value={value}>
                    {visible(shortened(value, 60))}
                  </option>
                ))}
              </select>
            </label>
          ))}
          <label class="check">
            <input
              type="checkbox"
              checked={filters.onlyMarked}
              onChange={({ currentTarget }) =>
                onFilters({ ...filters, onlyMarked: currentTarget.checked })
              }
            />
            <span>Only refusals and leniencies</span>
          </label>
          {active > 0 && (
            <SmallButton onClick={() => onFilters(NO_FILTERS)}>Remove the filters</SmallButton>
          )}
        </div>
      </details>
    </div>
  )
}
