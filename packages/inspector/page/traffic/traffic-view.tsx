/** The tab of traffic: a list of exchanges beside the one that is selected. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Empty } from '../elements/notice.tsx'
import type { ServerConfig } from '../server-config.ts'
import { useStore } from '../store.ts'
import { ExchangeDetail } from './exchange-detail.tsx'
import { ExchangeList } from './exchange-list.tsx'
import { FilterBar } from './filter-bar.tsx'
import { matches, NO_FILTERS } from './filters.ts'
import { trafficLog } from './traffic-log.ts'

interface TrafficViewProps {
  readonly config: ServerConfig
  /** The selected exchange. */
  readonly selected: string | undefined
}

export function TrafficView({ config, selected }: TrafficViewProps) {
  const { exchanges, held, stream } = useStore(trafficLog)
  const [filters, setFilters] = useState(NO_FILTERS)
  const [isNewestFirst, setNewestFirst] = useState(true)
  const shown = useMemo(() => {
    const all = exchanges.filter((exchange) => matches(exchange, filters))
    return isNewestFirst ? all.reverse() : all
  }, [exchanges, filters, isNewestFirst])
  const last = useRef(selected)
  useEffect(() => {
    if (selected === undefined && last.current !== undefined) {
      document.getElementById(`exchange-${last.current}`)?.focus()
    }
    last.current = selected
  }, [selected])
  const detail = exchanges.find(({ id }) => id === selected)
  return (
    <div class="split" data-detail={detail !== undefined}>
      <section class="pane list-pane" aria-labelledby="traffic-title">
        <h2 id="traffic-title" class="hidden">
          Traffic
        </h2>
        <FilterBar
          exchanges={exchanges}
          shown={shown}
          held={held?.length}
          filters={filters}
          onFilters={setFilters}
          isNewestFirst={isNewestFirst}
          onOrder={setNewestFirst}
        />
        {shown.length > 0 ? (
          <ExchangeList exchanges={shown} selected={selected} follows={!isNewestFirst} />
        ) : exchanges.length > 0 ? (
          <Empty title="No exchange matches the filters">
            <button type="button" onClick={() => setFilters(NO_FILTERS)}>
              Remove the filters
            </button>
          </Empty>
        ) : (
          <Empty title={stream === 'connecting' ? 'Connecting…' : 'No traffic yet'}>
            <p>
              Every request to this server appears here as it happens. Connect a client to{' '}
              <span class="code">{config.endpoints[0]}</span>, or call a tool in{' '}
              <a href="#/try">Try it</a>.
            </p>
          </Empty>
        )}
      </section>
      <section class="pane detail-pane" aria-label="Exchange">
        {detail !== undefined ? (
          <ExchangeDetail key={detail.id} exchange={detail} />
        ) : (
          <Empty
            title={
              selected === undefined ? 'Select an exchange' : 'This exchange is not stored any more'
            }
          >
            <p>Its messages, refusals and timing are shown here.</p>
          </Empty>
        )}
      </section>
    </div>
  )
}
