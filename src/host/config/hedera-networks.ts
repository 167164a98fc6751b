/** A network of Hedera: some of its nodes, which take transactions, and its mirror, which is read. */
export interface KnownNetwork {
  readonly nodes: Readonly<Record<string, string>>
  readonly mirror: string
  readonly mirrorGrpc: string
}

export const KNOWN_NETWORKS: Readonly<Record<string, KnownNetwork>> = {
  mainnet: {
    nodes: {
      '34.64.136.190:50211': '0.0.3',
      '35.186.191.247:50211': '0.0.4',
      '35.203.82.240:50211': '0.0.7',
      '35.228.232.18:50211': '0.0.8',
      '35.197.192.225:50211': '0.0.9',
      '35.242.233.154:50211': '0.0.10',
      '35.204.86.32:50211': '0.0.12',
      '35.234.132.107:50211': '0.0.13',
      '35.236.2.27:50211': '0.0.14',
      '35.228.11.53:50211': '0.0.15',
    },
    mirror: 'https://mainnet.mirrornode.hedera.com',
    mirrorGrpc: 'mainnet.mirrornode.hedera.com:443',
  },
  testnet: {
    nodes: {
      '34.94.106.61:50211': '0.0.3',
      '35.237.119.55:50211': '0.0.4',
      '35.245.27.193:50211': '0.0.5',
      '34.83.112.116:50211': '0.0.6',
      '34.94.160.4:50211': '0.0.7',
      '34.106.102.218:50211': '0.0.8',
      '34.133.197.230:50211': '0.0.9',
    },
    mirror: 'https://testnet.mirrornode.hedera.com',
    mirrorGrpc: 'testnet.mirrornode.hedera.com:443',
  },
  previewnet: {
    nodes: {
      '35.231.208.148:50211': '0.0.3',
      '35.199.15.177:50211': '0.0.4',
      '35.225.201.195:50211': '0.0.5',
      '35.247.109.135:50211': '0.0.6',
      '35.235.65.51:50211': '0.0.7',
      '34.106.247.65:50211': '0.0.8',
      '34.125.23.49:50211': '0.0.9',
    },
    mirror: 'https://previewnet.mirrornode.hedera.com',
    mirrorGrpc: 'previewnet.mirrornode.hedera.com:443',
  },
}

/** Whether an address, `host:port`, is on this machine only. */
export function isLoopback(address: string): boolean {
  const host = address.replace(/:\d+$/, '').toLowerCase()
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
