/** Where the calls go, as gRPC names them. */
export const NODE_CALLS = {
  createTopic: '/proto.ConsensusService/createTopic',
  updateTopic: '/proto.ConsensusService/updateTopic',
  deleteTopic: '/proto.ConsensusService/deleteTopic',
  submitMessage: '/proto.ConsensusService/submitMessage',
  getTopicInfo: '/proto.ConsensusService/getTopicInfo',
  createAccount: '/proto.CryptoService/createAccount',
  updateAccount: '/proto.CryptoService/updateAccount',
  getBalance: '/proto.CryptoService/cryptoGetBalance',
  getAccountInfo: '/proto.CryptoService/getAccountInfo',
  getRecord: '/proto.CryptoService/getTxRecordByTxID',
  getReceipts: '/proto.CryptoService/getTransactionReceipts',
} as const

export const MIRROR_CALLS = {
  subscribeTopic: '/com.hedera.mirror.api.proto.ConsensusService/subscribeTopic',
  getNodes: '/com.hedera.mirror.api.proto.NetworkService/getNodes',
} as const
