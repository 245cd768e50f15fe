/** The switches of the host: what it has, how it shows the view, and in which order it passes a call. */
import type { ComponentChildren } from 'preact'
import type { CallOrder } from '../../../view/src/host/play-call.ts'
import { CAPABILITY_NAMES } from '../../../view/src/host/view-host.ts'
import type { DisplayMode } from '../../../view/src/host-context.ts'
import { OutsideLink } from '../elements/link.tsx'
import { useStore } from '../store.ts'
import { DISPLAY_MODES, HOST_PRESETS, SEEN } from './host-presets.ts'
import { changeSettings, MAX_WIDTH, MIN_WIDTH, presetOf, viewSettings } from './view-settings.ts'

const ORDERS: Readonly<Record<CallOrder, string>> = {
  usual: 'Arguments, then the result',
  late: 'The result 3 seconds later',
  twice: 'The result twice',
  cancelled: 'The result after a cancellation',
  text: 'The text of the result alone',
  'result-alone': 'The result without arguments',
}

export function ViewControls() {
  const settings = useStore(viewSettings)
  const { host, theme, width, mode, locale, reducedMotion, isWritten, order, lacks } = settings
  return (
    <div class="view-controls">
      <div class="view-switches">
        <Choice
          label="Host"
          isWide
          value={String(host)}
          options={HOST_PRESETS.map(({ title }, index) => [String(index), title])}
          onChange={(value) =>
            changeSettings({ host: Number(value), lacks: HOST_PRESETS[Number(value)]?.lacks ?? [] })
          }
        />
        <Choice
          label="Theme"
          value={theme}
          options={[
            ['light', 'Light'],
            ['dark', 'Dark'],
          ]}
          onChange={(value) => changeSettings({ theme: value as 'light' | 'dark' })}
        />
        <Choice
          label="Display mode"
          value={mode}
          options={[
            ['inline', 'Inline'],
            ['fullscreen', 'Full screen'],
            ['pip', 'Picture in picture'],
          ]}
          onChange={(value) => changeSettings({ mode: value as DisplayMode })}
        />
        <label class="width">
          <span>
            Width <output>{width} px</output>
          </span>
          <input
            type="range"
            min={MIN_WIDTH}
            max={MAX_WIDTH}
            step={10}
            value={width}
            onInput={({ currentTarget }) => changeSettings({ width: Number(currentTarget.value) })}
          />
        </label>
      </div>
      <details class="raw">
        <summary>More of the host</summary>
        <div class="view-switches">
          <Choice
            label="Order"
            isWide
            value={order}
            options={Object.entries(ORDERS)}
            onChange={(value) => changeSettings({ order: value as CallOrder })}
          />
          <label>
            <span>Locale</span>
            <input
              value={locale}
              spellcheck={false}
              autocomplete="off"
              onChange={({ currentTarget }) => changeSettings({ locale: currentTarget.value })}
            />
          </label>
        </div>
        <Check isOn={isWritten} onChange={(value) => changeSettings({ isWritten: value })}>
          The model writes the arguments in parts
        </Check>
        <Check isOn={reducedMotion} onChange={(value) => changeSettings({ reducedMotion: value })}>
          Reduced motion, emulated in the rules and in matchMedia() of the view
        </Check>
        <fieldset>
          <legend>What the host has</legend>
          {[...CAPABILITY_NAMES, ...DISPLAY_MODES].map((name) => (
            <Check
              key={name}
              isOn={!lacks.includes(name)}
              onChange={(has) =>
                changeSettings({
                  lacks: has ? lacks.filter((each) => each !== name) : [...lacks, name],
                })
              }
            >
              <code>{name}</code>
            </Check>
          ))}
        </fieldset>
        <p class="quiet">
          What hosts have, as documented on {SEEN}:{' '}
          <OutsideLink url={presetOf(settings).source} text="source" />.
        </p>
      </details>
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly isWide?: boolean
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  readonly onChange: (value: string) => void
}

function Choice({ label, isWide, value, options, onChange }: ChoiceProps) {
  return (
    <label class={isWide ? 'wide' : ''}>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

interface CheckProps {
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly children: ComponentChildren
}

function Check({ isOn, onChange, children }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  )
}
