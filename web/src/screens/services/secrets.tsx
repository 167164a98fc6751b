import type { NewService } from '../../../../src/model/sources/services.ts'
import { Button, Command } from '../../parts/bits.tsx'
import { Dialog } from '../../parts/dialog.tsx'

interface SecretsProps {
  readonly service: NewService
  onClose(): void
}

/** Keys are shown this once: only their hashes are kept. */
export function Secrets({ service: { name, agent, key, signingSecret }, onClose }: SecretsProps) {
  return (
    <Dialog title={`Keys of ${name}`} onClose={onClose}>
      <p>They are shown this once. Put them where {name} keeps its secrets.</p>
      <div class="block">
        <h3>For the header x-secret-key</h3>
        <Command text={key} />
        <h3>For signatures of Standard Webhooks</h3>
        <Command text={signingSecret} />
        <h3>Try it</h3>
        <Command
          text={`curl -X POST ${location.origin}/api/agents/${agent}/trigger -H 'x-secret-key: ${key}' -H 'content-type: application/json' -d '{"serviceName":"${name}","payload":{"hello":"world"}}'`}
        />
      </div>
      <div class="form-actions">
        <Button kind="primary" onClick={onClose}>
          I have them
        </Button>
      </div>
    </Dialog>
  )
}
