"""Records of the API. Generated from the OpenAPI document by `npm run generate`; do not edit."""
from __future__ import annotations

# SHA-256 of the document: d4b6fc36c0d21231c3ee4f1dab12a04967b97242f0e121300a47152a328b1e06

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict


class Health(TypedDict):
    status: str


class Liveness(TypedDict):
    status: str
    service: str


class Check(TypedDict):
    ok: bool
    error: str | None


class PublicConfig(TypedDict):
    default_llm_available: bool
    default_llm_model_id: str


class Version(TypedDict):
    version: str
    language: str
    language_version: str


class Problem(TypedDict):
    """
    Why the request was refused.
    """

    detail: str
    code: NotRequired[str]
    """
    Machine-readable reason.
    """


class SignUpRequest(TypedDict):
    first_name: str
    last_name: str
    email: str
    password: NotRequired[str | None]
    username: NotRequired[str | None]
    full_name: NotRequired[str | None]
    avatar_url: NotRequired[str | None]


class User(TypedDict):
    user_id: int
    email: str
    first_name: str
    last_name: str
    username: str | None
    full_name: str | None
    avatar_url: str | None
    plan: str
    role: str
    stripe_customer_id: None
    mfa_enabled: bool
    onboarding_completed: bool
    created_at: str | None
    updated_at: str | None


class ValidationError(TypedDict):
    loc: list[str | int]
    msg: str
    type: str
    input: NotRequired[Any]
    ctx: NotRequired[dict[str, Any]]


class UserPage(TypedDict):
    total: int
    """
    Of all pages.
    """
    page: int
    size: int
    has_next: bool
    has_previous: bool
    results: list[User]


class SignInRequest(TypedDict):
    email: str
    password: str


class SignInForm(TypedDict):
    grant_type: NotRequired[str]
    username: str
    password: str


class Token(TypedDict):
    token_type: str
    access_token: str


class Status(TypedDict):
    status: str


class SignIn(TypedDict):
    id: str
    """
    UUID.
    """
    user_agent: str
    address: str
    """
    IP address.
    """
    created_at: str
    last_used_at: str
    """
    When its refresh cookie was last used.
    """
    expires_at: str
    current: bool
    """
    Whether this request belongs to it.
    """


class CreatePersonalTokenRequest(TypedDict, closed=True):
    name: str
    scopes: list[Literal["account:read", "agents:read", "agents:write", "apps:read", "artifacts:read", "artifacts:write", "audio:write", "integrations:read", "integrations:write", "keys:read", "keys:write", "memory:read", "memory:write", "runs:read", "runs:write", "sessions:read", "sessions:write", "webhooks:read", "webhooks:write"]]
    user_id: NotRequired[str | None]
    expires_in_seconds: NotRequired[int]


class NewPersonalToken(TypedDict):
    id: str
    """
    UUID.
    """
    name: str
    scopes: list[Literal["account:read", "agents:read", "agents:write", "apps:read", "artifacts:read", "artifacts:write", "audio:write", "integrations:read", "integrations:write", "keys:read", "keys:write", "memory:read", "memory:write", "runs:read", "runs:write", "sessions:read", "sessions:write", "webhooks:read", "webhooks:write"]]
    user_id: str | None
    created_at: str
    expires_at: str
    last_used_at: str | None
    token: str
    """
    The token itself, which is shown this once.
    """


class PersonalToken(TypedDict):
    id: str
    """
    UUID.
    """
    name: str
    scopes: list[Literal["account:read", "agents:read", "agents:write", "apps:read", "artifacts:read", "artifacts:write", "audio:write", "integrations:read", "integrations:write", "keys:read", "keys:write", "memory:read", "memory:write", "runs:read", "runs:write", "sessions:read", "sessions:write", "webhooks:read", "webhooks:write"]]
    user_id: str | None
    created_at: str
    expires_at: str
    last_used_at: str | None


class RevokedPersonalTokens(TypedDict):
    status: str
    revoked: int


class DeviceCodeRequest(TypedDict):
    client_id: str
    """
    Name of the program, shown to the person.
    """
    scope: NotRequired[str]
    """
    Scopes with spaces between: account:read agents:read agents:write apps:read artifacts:read artifacts:write audio:write integrations:read integrations:write keys:read keys:write memory:read memory:write runs:read runs:write sessions:read sessions:write webhooks:read webhooks:write. All by default.
    """


class DeviceCodeForm(TypedDict):
    client_id: str
    """
    Name of the program, shown to the person.
    """
    scope: NotRequired[str]
    """
    Scopes with spaces between: account:read agents:read agents:write apps:read artifacts:read artifacts:write audio:write integrations:read integrations:write keys:read keys:write memory:read memory:write runs:read runs:write sessions:read sessions:write webhooks:read webhooks:write. All by default.
    """


class DeviceCode(TypedDict):
    device_code: str
    """
    Secret of the program.
    """
    user_code: str
    """
    What the person types.
    """
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    """
    Seconds until both codes are void.
    """
    interval: int
    """
    Seconds to wait between two requests for the token.
    """


class DeviceRefusal(TypedDict):
    error: Literal["authorization_pending", "slow_down", "access_denied", "expired_token", "invalid_scope"]
    error_description: str


class DeviceTokenRequest(TypedDict):
    grant_type: Literal["urn:ietf:params:oauth:grant-type:device_code"]
    device_code: str
    client_id: NotRequired[str]


class DeviceTokenForm(TypedDict):
    grant_type: Literal["urn:ietf:params:oauth:grant-type:device_code"]
    device_code: str
    client_id: NotRequired[str]


class DeviceToken(TypedDict):
    access_token: str
    """
    A personal token.
    """
    token_type: Literal["Bearer"]
    expires_in: int
    scope: str


class DeviceRequest(TypedDict):
    user_code: str
    client: str
    """
    Name of the program, which it has chosen itself.
    """
    scopes: list[str]
    expires_at: str


class DeviceDecision(TypedDict):
    user_code: str


class AddressRequest(TypedDict):
    email: str


class Done(TypedDict):
    status: str


class ResetPasswordRequest(TypedDict):
    token: str
    new_password: str


class VerifyEmailRequest(TypedDict):
    token: str


class UpdateUserRequest(TypedDict):
    """
    Unknown fields are ignored.
    """

    first_name: NotRequired[str | None]
    last_name: NotRequired[str | None]
    username: NotRequired[str | None]
    full_name: NotRequired[str | None]
    onboarding_completed: NotRequired[bool | None]


class ErasedPart(TypedDict):
    service: str
    erased_at: str | None
    """
    When it had erased everything; null: not yet.
    """
    counts: dict[str, Any]


class Action(TypedDict):
    id: str
    """
    UUID.
    """
    at: str
    """
    ISO 8601.
    """
    action: str
    """
    Such as `signed_in`, `password_reset`, `account_deleted` or `consumer_called`.
    """
    account_id: str | None
    """
    The account, as `uid` of its tokens; null where an address without one was tried.
    """
    actor_id: str | None
    """
    Who did it; null where nobody had signed in, or the service itself did it.
    """
    detail: dict[str, Any]


class ExportLine(TypedDict):
    kind: str
    """
    Such as `session`, `event` or `artifact_bytes`.
    """
    of: NotRequired[dict[str, Any]]
    """
    What the record belongs to.
    """
    data: dict[str, Any]
    """
    The record, as its own route answers it.
    """


class FileMistake(TypedDict):
    file: str
    line: NotRequired[int]
    column: NotRequired[int]
    key: str
    reason: str


class AppInfo(TypedDict):
    name: str
    rootAgentName: str
    description: str
    language: str
    isComputerUse: bool
    agents: NotRequired[dict[str, Any] | None]


class AgentSchema(TypedDict):
    """
    A JSON Schema, draft 7.
    """


class MediaResolution(TypedDict, closed=True):
    level: NotRequired[str | None]
    numTokens: NotRequired[int | None]


class CodeExecutionResult(TypedDict, closed=True):
    outcome: NotRequired[str | None]
    output: NotRequired[str | None]
    id: NotRequired[str | None]


class ExecutableCode(TypedDict, closed=True):
    code: NotRequired[str | None]
    language: NotRequired[str | None]
    id: NotRequired[str | None]


class VideoMetadata(TypedDict, closed=True):
    startOffset: NotRequired[str | None]
    endOffset: NotRequired[str | None]
    fps: NotRequired[float | None]


class ToolCall(TypedDict, closed=True):
    id: NotRequired[str | None]
    toolType: NotRequired[str | None]
    args: NotRequired[dict[str, Any] | None]


class ToolResponse(TypedDict, closed=True):
    id: NotRequired[str | None]
    toolType: NotRequired[str | None]
    response: NotRequired[dict[str, Any] | None]


class SpeechMetadata(TypedDict):
    speaker: NotRequired[str | None]
    style: NotRequired[str | None]


class FileData(TypedDict, closed=True):
    displayName: NotRequired[str | None]
    fileUri: NotRequired[str | None]
    mimeType: NotRequired[str | None]


class Blob(TypedDict, closed=True):
    data: NotRequired[str | None]
    displayName: NotRequired[str | None]
    mimeType: NotRequired[str | None]


class PartialArg(TypedDict, closed=True):
    jsonPath: NotRequired[str | None]
    boolValue: NotRequired[bool | None]
    nullValue: NotRequired[str | None]
    numberValue: NotRequired[float | None]
    stringValue: NotRequired[str | None]
    willContinue: NotRequired[bool | None]


class FunctionCall(TypedDict, closed=True):
    id: NotRequired[str | None]
    name: NotRequired[str | None]
    args: NotRequired[dict[str, Any] | None]
    willContinue: NotRequired[bool | None]
    partialArgs: NotRequired[list[PartialArg] | None]


class Part1(TypedDict, closed=True):
    inlineData: NotRequired[Blob | None]
    fileData: NotRequired[FileData | None]


class FunctionResponse(TypedDict, closed=True):
    id: NotRequired[str | None]
    name: NotRequired[str | None]
    response: NotRequired[dict[str, Any] | None]
    willContinue: NotRequired[bool | None]
    scheduling: NotRequired[str | None]
    parts: NotRequired[list[Part1] | None]


class Transcription(TypedDict):
    text: NotRequired[str | None]
    finished: NotRequired[bool | None]
    languageCode: NotRequired[str | None]


class PublicationDate(TypedDict):
    day: NotRequired[int | None]
    month: NotRequired[int | None]
    year: NotRequired[int | None]


class Citation(TypedDict):
    startIndex: NotRequired[int | None]
    endIndex: NotRequired[int | None]
    license: NotRequired[str | None]
    publicationDate: NotRequired[PublicationDate | None]
    title: NotRequired[str | None]
    uri: NotRequired[str | None]


class CitationMetadata(TypedDict):
    citations: NotRequired[list[Citation] | None]


class CacheMetadata(TypedDict):
    fingerprint: NotRequired[str | None]
    contents_count: NotRequired[int | None]
    cache_name: NotRequired[str | None]
    expire_time: NotRequired[float | None]
    invocations_used: NotRequired[int | None]
    created_at: NotRequired[float | None]


class ChosenCandidate(TypedDict):
    logProbability: NotRequired[float | None]
    token: NotRequired[str | None]
    tokenId: NotRequired[int | None]


class Candidate(TypedDict):
    logProbability: NotRequired[float | None]
    token: NotRequired[str | None]
    tokenId: NotRequired[int | None]


class TopCandidate(TypedDict):
    candidates: NotRequired[list[Candidate] | None]


class LogprobsResult(TypedDict):
    chosenCandidates: NotRequired[list[ChosenCandidate] | None]
    topCandidates: NotRequired[list[TopCandidate] | None]
    logProbabilitySum: NotRequired[float | None]


class LiveSessionResumptionUpdate(TypedDict):
    newHandle: NotRequired[str | None]
    resumable: NotRequired[bool | None]
    lastConsumedClientMessageIndex: NotRequired[int | None]


class GoAway(TypedDict):
    timeLeft: NotRequired[str | None]


class VoiceActivity(TypedDict):
    voiceActivityType: NotRequired[str | None]
    audioOffset: NotRequired[str | None]


class NodeInfo(TypedDict):
    path: NotRequired[str]
    outputFor: NotRequired[list[str] | None]
    messageAsOutput: NotRequired[bool | None]


class ModalityTokenCount(TypedDict):
    modality: NotRequired[str | None]
    tokenCount: NotRequired[int | None]


class RetrievalMetadata(TypedDict, closed=True):
    vendorSearchDynamicRetrievalScore: NotRequired[float | None]


class SearchEntryPoint(TypedDict, closed=True):
    renderedContent: NotRequired[str | None]
    sdkBlob: NotRequired[str | None]


class SourceFlaggingUri(TypedDict, closed=True):
    flagContentUri: NotRequired[str | None]
    sourceId: NotRequired[str | None]


class Image(TypedDict, closed=True):
    sourceUri: NotRequired[str | None]
    imageUri: NotRequired[str | None]
    title: NotRequired[str | None]
    domain: NotRequired[str | None]


class Web(TypedDict, closed=True):
    domain: NotRequired[str | None]
    title: NotRequired[str | None]
    uri: NotRequired[str | None]


class Route(TypedDict, closed=True):
    distanceMeters: NotRequired[int | None]
    duration: NotRequired[str | None]
    encodedPolyline: NotRequired[str | None]


class PageSpan(TypedDict, closed=True):
    firstPage: NotRequired[int | None]
    lastPage: NotRequired[int | None]


class RagChunk(TypedDict, closed=True):
    pageSpan: NotRequired[PageSpan | None]
    text: NotRequired[str | None]
    chunkId: NotRequired[str | None]
    fileId: NotRequired[str | None]


class StringListValue(TypedDict, closed=True):
    values: NotRequired[list[str] | None]


class CustomMetadatum(TypedDict, closed=True):
    key: NotRequired[str | None]
    numericValue: NotRequired[float | None]
    stringValue: NotRequired[str | None]
    stringListValue: NotRequired[StringListValue | None]


class RetrievedContext(TypedDict, closed=True):
    documentName: NotRequired[str | None]
    text: NotRequired[str | None]
    title: NotRequired[str | None]
    uri: NotRequired[str | None]
    fileSearchStore: NotRequired[str | None]
    pageNumber: NotRequired[int | None]
    mediaId: NotRequired[str | None]
    ragChunk: NotRequired[RagChunk | None]
    customMetadata: NotRequired[list[CustomMetadatum] | None]


class AuthorAttribution(TypedDict, closed=True):
    displayName: NotRequired[str | None]
    photoUri: NotRequired[str | None]
    uri: NotRequired[str | None]


class ReviewSnippet(TypedDict, closed=True):
    authorAttribution: NotRequired[AuthorAttribution | None]
    flagContentUri: NotRequired[str | None]
    vendorMapsUri: NotRequired[str | None]
    relativePublishTimeDescription: NotRequired[str | None]
    review: NotRequired[str | None]
    reviewId: NotRequired[str | None]
    title: NotRequired[str | None]


class Segment(TypedDict, closed=True):
    startIndex: NotRequired[int | None]
    endIndex: NotRequired[int | None]
    partIndex: NotRequired[int | None]
    text: NotRequired[str | None]


class GroundingSupport(TypedDict, closed=True):
    confidenceScores: NotRequired[list[float] | None]
    groundingChunkIndices: NotRequired[list[int] | None]
    segment: NotRequired[Segment | None]
    renderedParts: NotRequired[list[int] | None]


class RenderUiWidget(TypedDict, closed=True):
    id: NotRequired[str | None]
    provider: NotRequired[str | None]
    payload: NotRequired[dict[str, Any] | None]


class RunWebhookRequest(TypedDict, closed=True):
    url: str
    """
    A public https address. It gets a POST when the run waits, and when it has ended.
    """
    secret: NotRequired[str | None]


class Webhook(TypedDict):
    url: str
    secret: NotRequired[str]
    """
    Only if the request had none, and only in this answer: it is never shown again.
    """


class UnavailableTool(TypedDict):
    name: str
    """
    The server of the tools.
    """
    reason: str


class RunUsage(TypedDict):
    """
    Sums of the UsageMetadata of the run’s events, of all attempts that have ended, and their cost. Of an attempt whose process died, what its stored events tell.
    """

    promptTokenCount: NotRequired[int]
    """
    Input tokens, cached ones included.
    """
    cachedContentTokenCount: NotRequired[int]
    """
    Input tokens from the cache of the provider.
    """
    candidatesTokenCount: NotRequired[int]
    """
    Output tokens.
    """
    thoughtsTokenCount: NotRequired[int]
    """
    Output tokens of thoughts.
    """
    toolUsePromptTokenCount: NotRequired[int]
    """
    Input tokens of results of tools that the provider ran.
    """
    totalTokenCount: NotRequired[int]
    """
    All tokens.
    """
    modelCalls: int
    """
    Answers of models.
    """
    toolCalls: NotRequired[int]
    """
    Calls of tools; one that was approved counts once.
    """
    seconds: NotRequired[float]
    """
    Time in which attempts ran; of every run that has ended or waits.
    """
    cost: NotRequired[float]
    """
    US dollars, estimated from the price list that `/api/usage` names, of all calls with a known price, also of those that tools made. Absent when there was none.
    """
    unpricedCalls: NotRequired[int]
    """
    Calls of models on the network whose price or use is not known: `cost` leaves them out.
    """


class WaitingCall(TypedDict):
    functionCallId: str
    name: str
    args: NotRequired[dict[str, Any]]
    eventId: str
    """
    The event that made the call.
    """


class Run(TypedDict):
    """
    A run of an agent: one user message and everything that the agent did with it.
    """

    invocationId: str
    appName: str
    userId: str
    sessionId: str
    status: Literal["queued", "running", "waiting", "completed", "failed", "cancelled", "interrupted"]
    queuePosition: NotRequired[int]
    """
    Place in the queue of the session, from 1, at most 1000; only while queued.
    """
    attempt: int
    """
    Number of the latest attempt; 0 before the first one.
    """
    createTime: float
    """
    Acceptance, in Unix seconds.
    """
    startTime: NotRequired[float]
    """
    Begin of the latest attempt, in Unix seconds.
    """
    endTime: NotRequired[float]
    """
    End of the latest attempt, in Unix seconds.
    """
    model: NotRequired[str]
    """
    The model that answered last, as it calls itself.
    """
    agentVersion: NotRequired[str]
    """
    The version of the agent in the latest attempt that has ended: the number of an agent under `/api/agents`; for files, the first 12 hex digits of a SHA-256 of the app’s folder.
    """
    agentFilesTime: NotRequired[float]
    """
    Latest change of these files, in Unix seconds.
    """
    agentState: NotRequired[Literal["stale"]]
    """
    The files have changed since that version and have mistakes: `/list-apps?detailed=true` has them.
    """
    unavailableTools: NotRequired[list[UnavailableTool]]
    """
    Sources of tools that the agent had to do without.
    """
    usage: NotRequired[RunUsage]
    errorCode: NotRequired[str]
    errorMessage: NotRequired[str]
    customMetadata: NotRequired[dict[str, Any]]
    waitingFor: NotRequired[list[WaitingCall]]
    """
    Function calls whose answers continue the run; only while waiting. Without `args` when these have more than 32 KiB together.
    """
    output: NotRequired[Any]
    """
    The last answer, when the run has ended or waits: a text, or the object or array that an agent with an `output_schema` answers. `{"truncated": true, "eventId"}` for one of more than 64 KiB. Only in the answers of `getRun` and `waitForRun`, and in messages of webhooks.
    """
    waitingOn: NotRequired[Literal["model", "keys", "artifact", "answer", "lease", "queue"]]
    """
    What the run waits for. `answer`: of a person or a long-running tool; `queue`: the run has not started; the others are told of a running run after some seconds, and may have ended up to six seconds ago. `lease`: its events cannot be stored, or its process is gone and no other one has taken it.
    """
    since: NotRequired[float]
    """
    Begin of the wait that `waitingOn` names, in Unix seconds.
    """
    answerBy: NotRequired[float]
    """
    While waiting: when the default answer is given, if none has come, in Unix seconds.
    """


class CancelledSession(TypedDict):
    status: Literal["cancelled"]
    session_id: str


class FunctionAnswer(TypedDict):
    id: str
    """
    `functionCallId` of an entry of `waitingFor`.
    """
    name: str
    """
    Its `name`.
    """
    response: dict[str, Any]


class RunSpan(TypedDict):
    id: str
    parentId: NotRequired[str]
    """
    Absent for the span of an attempt.
    """
    name: str
    start: float
    """
    Unix time in seconds.
    """
    end: float
    """
    Unix time in seconds.
    """
    status: Literal["ok"] | Literal["error"]
    attributes: dict[str, Any]
    """
    `gen_ai.…` as OpenTelemetry names them; `agentmesh.event.id` is the event of the run that was made in the span, which holds what was said.
    """


class RunLogLine(TypedDict):
    time: float
    """
    Unix time in seconds.
    """
    level: Literal["debug"] | Literal["info"] | Literal["warn"] | Literal["error"]
    message: str
    """
    At most 4,096 characters.
    """
    source: Literal["app"] | Literal["mesh"]
    """
    `app`: code of the app has printed it. `mesh`: this server tells it.
    """
    attempt: int
    attributes: NotRequired[dict[str, Any]]
    """
    Such as `tool`, `model`, `errorCode`, and `stack` within the folder of the app.
    """


class RunTicket(TypedDict):
    ticket: str
    """
    For the query of `watchRun`.
    """
    expireTime: float
    """
    In Unix seconds. A stream that is open then goes on.
    """


class WebhookDelivery(TypedDict):
    id: str
    """
    The header `webhook-id`, the same in every attempt.
    """
    type: str
    """
    `run.completed`, `run.failed`, `run.cancelled`, `run.interrupted` or `run.waiting`.
    """
    status: Literal["pending", "delivered", "failed"]
    attempts: int
    """
    Attempts that have begun.
    """
    createTime: float
    """
    When the run was seen in this state, in Unix seconds.
    """
    lastAttemptTime: NotRequired[float]
    """
    Begin of the latest attempt, in Unix seconds.
    """
    nextAttemptTime: NotRequired[float]
    """
    When the next attempt is due, in Unix seconds.
    """
    responseStatus: NotRequired[int]
    """
    HTTP status of the last answer.
    """
    error: NotRequired[str]
    """
    Why the last attempt failed.
    """


class CreateAdkSessionRequest(TypedDict):
    agent_name: str
    """
    The app: `agent<N>`, or a name of `/list-apps`.
    """
    user_id: str
    """
    User of the session.
    """
    session_id: str
    data: NotRequired[dict[str, Any] | None]


class AdkSession(TypedDict):
    id: str
    appName: str
    userId: str
    state: dict[str, Any]
    events: list[Any]
    lastUpdateTime: float


class Message(TypedDict):
    role: str
    """
    `user` or `assistant`.
    """
    content: str
    timestamp: float
    """
    Unix time in seconds.
    """
    thinking: NotRequired[str]


class AdkMessages(TypedDict):
    messages: list[Message]


class DeletedAdkSession(TypedDict):
    message: str


class Notification(TypedDict):
    id: int
    type: str
    """
    `run_completed`, `run_failed`, `run_cancelled`, `run_interrupted`, `subscription_failing` or `schedule_paused`.
    """
    title: str
    """
    For example the name of the agent, or the subject of the mail.
    """
    message: str
    """
    For a failed run its error.
    """
    app_name: str
    """
    This and the next three are empty when it is not about a run.
    """
    user_id: str
    session_id: str
    invocation_id: str
    read: bool
    read_at: str | None
    created_at: str


class UnreadCount(TypedDict):
    count: int
    unread_count: int


class MarkedNotifications(TypedDict):
    marked: int


class Change(TypedDict):
    kind: Literal["run", "wait", "notification", "agent", "schedule"]
    id: str
    """
    For a run and a wait the `invocationId`.
    """
    op: Literal["added", "changed", "removed"]
    app_name: NotRequired[str]
    """
    For a run and a wait the app of its session.
    """
    user_id: NotRequired[str]
    """
    For a run and a wait the user of its session.
    """
    session_id: NotRequired[str]
    """
    For a run and a wait its session: runs of several sessions may have one id.
    """


class SpentItem(TypedDict):
    on: Literal["queue", "model", "keys", "artifact", "lease", "agents"]
    seconds: float
    """
    Sum over the runs, in seconds.
    """


class SlowAccount(TypedDict):
    account_id: str
    """
    The account, as `uid` of its tokens.
    """
    email: str | None
    """
    Its e-mail address; null when it is deleted, or when the service of accounts does not answer.
    """
    runs: int
    """
    Runs that were accepted in these minutes, and those that have not ended.
    """
    active: int
    """
    Those of them that have not ended.
    """
    failed: int
    """
    Those of them that have failed.
    """
    mean_seconds: float
    """
    Mean time of a run from its acceptance until its end or now, in seconds.
    """
    longest_seconds: float
    """
    The longest of these times, in seconds.
    """
    reason: Literal["queue", "model", "keys", "artifact", "lease", "agents"]
    """
    What took most of that time: `queue` before the start, `agents` for tools, short waits and work of the server, or the part of the server that was waited for.
    """
    spent: list[SpentItem]


class Queue(TypedDict):
    """
    Null unless the run is queued.
    """

    position: int
    """
    Place among the runs of the session that have not started.
    """
    ahead: list[str]
    """
    Runs of the session that come before it, at most 20.
    """


class HeldRun(TypedDict):
    account_id: str
    app: str
    status: Literal["queued", "running", "waiting", "completed", "failed", "cancelled", "interrupted"]
    attempt: int
    holder: str | None
    """
    Id of the process that executes the run or has accepted it; null when the run is over.
    """
    pod: str | None
    """
    Host name of that process: in Kubernetes the name of the pod.
    """
    waiting_on: str | None
    """
    As `waitingOn` of the record of the run.
    """
    waitingOn: str | None
    """
    Until 0.2: `waiting_on`.
    """
    since: str | None
    """
    Begin of that wait. ISO 8601.
    """
    queue: Queue | None
    """
    Null unless the run is queued.
    """


class ScheduledRun(TypedDict):
    scheduled_at: str
    """
    The tick.
    """
    invocation_id: str | None
    """
    The run; null when it could not be started.
    """
    app_name: NotRequired[str]
    """
    App of the run, which the schedule may have changed since. Absent: not known.
    """
    user_id: NotRequired[str]
    """
    Like `app_name`.
    """
    session_id: str
    error: str | None
    """
    Why the run could not be started; null when it was.
    """


class AgentModelParams(TypedDict):
    model_api_key: NotRequired[str | None]
    model_api_base: NotRequired[str | None]


class NewAgent(TypedDict):
    agent_id: str
    """
    `agent<N>`, as the reference answers it. Records have the number.
    """
    app_name: str
    """
    `agent<N>`, the name of its app.
    """
    agent_name: str
    agent_model: str | list[str]
    """
    `provider/model`, or a list of up to five: the next one takes over when one fails. See `docs/models.md`.
    """
    agent_description: str
    owner_id: str
    organization_id: str
    created_at: str
    message: str


class Agent(TypedDict):
    agent_id: int
    agent_name: str
    agent_model: str | list[str]
    """
    `provider/model`, or a list of up to five: the next one takes over when one fails. See `docs/models.md`.
    """
    agent_model_params: dict[str, Any]
    agent_description: str
    agent_instruction: str
    agent_type: str
    agent_tools: list[str]
    tools: list[str]
    sub_agents: list[str]
    agent_skills: list[Any]
    tags: list[Any]
    owner_id: str
    """
    E-mail address of the account.
    """
    organization_id: str
    """
    Domain of the address.
    """
    status: str
    """
    `active`.
    """
    version: int
    created_at: str
    updated_at: str


class Message1(TypedDict):
    message: str


class AgentVersion(TypedDict):
    version: int
    created_at: str
    agent: dict[str, Any]


class AgentStatus(TypedDict):
    status: str
    """
    `running` while a run waits or runs, on any replica; else `stopped`.
    """
    agent_id: int
    active_runs: int
    last_run_at: str | None
    """
    When the last run was accepted.
    """
    last_run_status: str | None
    """
    `queued`, `running`, `waiting` for an answer, `completed`, `failed`, `cancelled`, `interrupted`.
    """
    last_error: str | None
    """
    Why the last run failed; null when it did not fail.
    """


class StartAgentRunRequest(TypedDict, closed=True):
    message: NotRequired[str | None]
    user_id: NotRequired[str | None]


class StartedAgentRun(TypedDict):
    message: str
    agent_id: int
    invocation_id: str
    app_name: str
    user_id: str
    session_id: str


class Model(TypedDict):
    id: str
    name: str
    tag: str


class Provider(TypedDict):
    provider: str
    requires_api_key: bool
    models: list[Model]


class ModelList(TypedDict):
    providers: list[Provider]


class UpdateSessionRequest(TypedDict):
    stateDelta: dict[str, Any]


class RewindRequest(TypedDict, closed=True):
    rewindBeforeInvocationId: str
    """
    Everything from the first event of this invocation on is rewound.
    """


class ForkRequest(TypedDict, closed=True):
    """
    Either `eventId` or `invocationId` is required.
    """

    eventId: NotRequired[str]
    """
    The last event of the copy.
    """
    invocationId: NotRequired[str]
    """
    Its last event is the last event of the copy.
    """
    sessionId: NotRequired[str]
    """
    Id of the copy; random if absent.
    """


class RetentionRule(TypedDict, closed=True):
    app_name: NotRequired[str | None]
    days: NotRequired[int | None]


class SetRetentionRequest(TypedDict, closed=True):
    rules: list[RetentionRule]


class ArtifactVersion(TypedDict):
    version: int
    canonicalUri: str
    customMetadata: dict[str, Any]
    createTime: float
    """
    Unix time in seconds.
    """
    mimeType: NotRequired[str]


class UpdateMemoryRequest(TypedDict):
    sessionId: str


class MemoriesDeleted(TypedDict):
    deleted: int


class SpeechUpload(TypedDict):
    file: bytes
    """
    webm, ogg, mp4, m4a, wav, flac, mp3 or aac.
    """


class Transcript(TypedDict):
    text: str
    """
    What was said; empty for silence.
    """
    language: NotRequired[str]
    """
    As the transcription server names it.
    """
    duration_ms: NotRequired[int]
    """
    Length of the recording.
    """
    model: NotRequired[str]


class FinalizeRequest(TypedDict):
    connectorName: str
    """
    Resource that the end user consented to.
    """
    userId: str
    """
    Your own e-mail address or account id, or the user of a session of yours that asked for the credential.
    """
    userIdValidationState: str
    """
    Base64, as the consent page sent it back.
    """
    consentNonce: str
    """
    Nonce of the credential request.
    """


class Finalized(TypedDict):
    pass


class CreateSavedKeyRequest(TypedDict, closed=True):
    key_name: str
    """
    1 to 100 characters after trimming.
    """
    provider: str
    """
    `openai`, `anthropic`, `gemini` or `google`; empty: that of the model. Another one is called by OpenAI’s API at `model_api_base`.
    """
    api_key_value: str
    """
    The key, 4 to 500 printable ASCII characters. It is never shown again.
    """
    model: NotRequired[str | None]
    model_api_base: NotRequired[str | None]
    owner_id: NotRequired[str]
    """
    Accepted and ignored: a key belongs to the account.
    """
    organization_id: NotRequired[str]
    """
    Accepted and ignored: a key belongs to the account.
    """


class SavedKeyAnswer(TypedDict):
    api_key_id: str
    """
    `apikey` and a number.
    """
    key_name: str
    provider: str
    model: str | None
    """
    Null: none.
    """
    model_api_base: str | None
    """
    Null: the address of the provider.
    """
    message: str


class SavedKey(TypedDict):
    api_key_id: str
    """
    `apikey` and a number.
    """
    key_name: str
    provider: str
    model: str | None
    """
    Null: none.
    """
    model_api_base: str | None
    """
    Null: the address of the provider.
    """
    api_key_value: str
    """
    Reference of the key, for `model_api_key` of agents; never the key.
    """
    last_four: str
    """
    Last characters of the key; empty for a key of less than 12 characters.
    """
    fingerprint: str
    """
    Equal for equal keys of the account; changes with `ENCRYPT_KEY`.
    """
    owner_id: str
    """
    E-mail address of the account.
    """
    organization_id: str
    """
    Domain of that address.
    """
    created_at: str
    updated_at: str
    last_used_at: str | None
    status: str
    """
    `active`, or `needs_reentry` when the key can no longer be decrypted and must be entered again.
    """


class UpdateSavedKeyRequest(TypedDict, closed=True):
    key_name: NotRequired[str]
    """
    1 to 100 characters after trimming.
    """
    provider: NotRequired[str]
    """
    `openai`, `anthropic`, `gemini` or `google`; empty: that of the model. Another one is called by OpenAI’s API at `model_api_base`.
    """
    api_key_value: NotRequired[str]
    """
    The new key. Its reference, `__unchanged__` or nothing: the key stays.
    """
    model: NotRequired[str | None]
    model_api_base: NotRequired[str | None]
    owner_id: NotRequired[str]
    """
    Accepted and ignored: a key belongs to the account.
    """
    organization_id: NotRequired[str]
    """
    Accepted and ignored: a key belongs to the account.
    """


class SavedKeyMessage(TypedDict):
    message: str


class SavedKeyTest(TypedDict):
    ok: bool
    """
    The provider accepted the key.
    """
    outcome: str
    """
    `accepted`, `refused`, `limited`, `failed` or `unreachable`.
    """
    http_status: int | None
    """
    Status of the provider’s answer.
    """
    latency_ms: int
    """
    Time until the answer began.
    """
    message: str


class ConnectPage(TypedDict):
    url: str
    """
    Address of the consent page; open it in the browser.
    """
    state: str
    """
    Comes back with the code, within ten minutes.
    """
    service: str


class OutlookCallback(TypedDict):
    code: str
    """
    `code` of the redirect.
    """
    state: NotRequired[str]
    """
    `state` of the redirect. 400 without it.
    """
    redirect_uri: NotRequired[str]
    """
    As in the first step; may be left out.
    """
    service: NotRequired[str]
    """
    `microsoft_outlook` or `vendora_mail`.
    """


class Meta(TypedDict):
    display_name: str
    """
    Name of the user at the provider; may be empty.
    """
    provider_user_id: str
    """
    Id of the user at the provider.
    """


class ConnectedIntegration(TypedDict):
    success: bool
    service: str
    email: str
    provider: str
    """
    As the client named it.
    """
    username: str
    """
    Address of the mailbox.
    """
    scopes: list[str]
    """
    Permissions that the user has granted.
    """
    meta: Meta


class GmailCallback(TypedDict):
    code: str
    """
    `code` of the redirect.
    """
    state: NotRequired[str]
    """
    `state` of the redirect. 400 without it.
    """
    redirect_uri: NotRequired[str]
    """
    As in the first step; may be left out.
    """
    service: NotRequired[str]
    """
    `google_gmail` or `vendorb_mail`.
    """


class Integration(TypedDict):
    id: int
    provider: str
    """
    As the client named it.
    """
    username: str
    """
    Address of the mailbox.
    """
    scopes: list[str]
    """
    Permissions that the user has granted.
    """
    meta: Meta
    connected_at: str
    token_status: str
    """
    `active`, or `revoked` when the mail account must be connected again.
    """


class Disconnected(TypedDict):
    success: bool
    message: str


class Prices(TypedDict):
    version: str
    """
    Price list that costs are estimated from.
    """
    made_on: str
    """
    Day on which it was made.
    """


class UsageRow(TypedDict):
    day: NotRequired[str]
    agent: NotRequired[str]
    user_id: NotRequired[str]
    key: NotRequired[str]
    """
    `apikey` and a number, or `server`.
    """
    model: NotRequired[str]
    """
    `provider/model`.
    """
    invocation_id: NotRequired[str]
    requests: int
    """
    Calls of models.
    """
    input_tokens: int
    """
    As the provider counts them, cached ones included.
    """
    cached_tokens: int
    output_tokens: int
    """
    Thoughts included.
    """
    cost_usd: float
    """
    Estimated from the price list.
    """
    unpriced_requests: int
    """
    Calls of models without a known price; they cost nothing here.
    """


class Used(TypedDict):
    """
    Used and reserved since the period began.
    """

    requests: int | None
    tokens: int | None
    cost_usd: float | None


class UsageLimit(TypedDict):
    scope: str
    """
    `account`, or a saved key such as `apikey7`.
    """
    period: str
    requests: int | None
    tokens: int | None
    cost_usd: float | None
    used: Used
    """
    Used and reserved since the period began.
    """
    resets_at: str
    """
    When the next period begins.
    """


class LimitAmounts(TypedDict, closed=True):
    requests: NotRequired[int | None]
    tokens: NotRequired[int | None]
    cost_usd: NotRequired[float | None]


class RemovedLimit(TypedDict):
    message: str


class AdminUsage(TypedDict):
    account_id: NotRequired[str]
    """
    The account, as `uid` of its tokens.
    """
    model: NotRequired[str]
    """
    `provider/model`.
    """
    app: NotRequired[str]
    requests: int
    """
    Calls of models.
    """
    input_tokens: int
    """
    As the provider counts them, cached ones included.
    """
    cached_tokens: int
    output_tokens: int
    """
    Thoughts included.
    """
    cost_usd: float
    """
    Estimated from the price list.
    """
    unpriced_requests: int
    """
    Calls of models without a known price; they cost nothing here.
    """


class WebhookSubscription(TypedDict):
    id: int
    provider: str
    """
    As in the request that created the subscription.
    """
    subscription_id: str | None
    """
    Id at the mail provider; for Gmail one that was made here. Null: nothing is registered.
    """
    resource: str
    """
    Path of the folder, or id of the label; `ALL`: every label.
    """
    change_type: str
    """
    One or more of `created`, `updated`, `deleted`, joined by commas.
    """
    agent_id: int
    agent_message_template: str | None
    """
    Null: the default message.
    """
    status: str
    """
    `active`; `disabled` by its owner; `error` until the mail account is connected again; `expired` at the provider.
    """
    expiration_datetime: str | None
    """
    When the registration at the provider expires. It is renewed before.
    """
    created_at: str
    allowed_senders: list[str]
    """
    Only mail from these addresses and `@domain`s runs the agent. Empty: mail from everybody.
    """
    require_authentication: bool
    """
    Only mail whose sender the provider has authenticated (SPF, DKIM, DMARC) runs the agent.
    """
    last_error: str | None
    """
    Why the last attempt to renew or register failed, or why the agent cannot run. Null after a success.
    """
    mailbox: str
    """
    Address of the mailbox.
    """


class CreateWebhookSubscriptionRequest(TypedDict, closed=True):
    agent_id: int
    """
    Agent of the account.
    """
    provider: NotRequired[Literal["vendora_mail"] | Literal["vendorb_mail"] | Literal["microsoft_outlook"] | Literal["google_gmail"]]
    """
    `vendora_mail` or `microsoft_outlook`: Outlook. `vendorb_mail` or `google_gmail`: Gmail.
    """
    resource: NotRequired[str | None]
    change_type: NotRequired[str]
    """
    One or more of `created`, `updated`, `deleted`, joined by commas.
    """
    agent_message_template: NotRequired[str | None]
    allowed_senders: NotRequired[list[str]]
    """
    Only mail from these addresses and `@domain`s runs the agent. Empty: mail from everybody.
    """
    require_authentication: NotRequired[bool]


class UpdateWebhookSubscriptionRequest(TypedDict, closed=True):
    """
    Absent fields and null change nothing.
    """

    agent_id: NotRequired[int | None]
    agent_message_template: NotRequired[str | None]
    change_type: NotRequired[str | None]
    status: NotRequired[Literal["active"] | Literal["disabled"] | None]
    allowed_senders: NotRequired[list[str] | None]
    require_authentication: NotRequired[bool | None]


class WebhookSubscriptionDeleted(TypedDict):
    success: bool
    message: str


class Attachment(TypedDict):
    filename: str
    content_type: str
    size: int
    """
    Bytes.
    """


class WebhookLog(TypedDict):
    id: int
    subscription_id: int
    agent_id: int
    trigger_event: str
    """
    `created`, `updated` or `deleted`.
    """
    email_subject: str | None
    """
    Null until the mail was fetched.
    """
    email_sender: str | None
    """
    Null until the mail was fetched.
    """
    agent_message: str | None
    """
    The message that the agent got. Text of the mail stands between marks.
    """
    agent_response: str | None
    """
    The agent's last text in the newest run that has succeeded; null before.
    """
    status: str
    """
    `pending`, `in_progress`, `success`, `retrying`, `error` or `skipped`.
    """
    error_message: str | None
    """
    Why the last attempt failed or the mail was skipped; null after a success.
    """
    duration_ms: int | None
    """
    Null until the run has ended.
    """
    created_at: str
    attachments: list[Attachment]
    session_id: str
    """
    Session of the run, in the application `agent<agent_id>`.
    """
    invocation_id: str | None
    """
    The newest run; null before the first.
    """


class WebhookLogAnswer(TypedDict):
    log: WebhookLog


class Retriggered(TypedDict):
    message: str
    log_id: int
    status: str


LogId: TypeAlias = int
"""
Id of a log.
"""


class RetriggerRequest(TypedDict, closed=True):
    log_ids: NotRequired[list[LogId]]
    status: NotRequired[Literal["success", "error", "skipped"]]
    """
    The oldest 200 logs of active subscriptions that ended so; without `log_ids`.
    """
    subscription_id: NotRequired[int]
    """
    Only logs of this subscription; with `status`.
    """


class RetriggeredLogs(TypedDict):
    log_ids: list[int]
    """
    Logs whose agents run again.
    """
    skipped_ids: list[int]
    """
    Named logs that do not exist, are under way, or whose subscription is not active.
    """


class ResourceData(TypedDict):
    id: str


class ValueItem(TypedDict):
    subscriptionId: str
    clientState: str
    changeType: NotRequired[str]
    lifecycleEvent: NotRequired[str]
    resourceData: NotRequired[ResourceData]


class GraphNotifications(TypedDict):
    value: list[ValueItem]


class Message2(TypedDict):
    data: str
    """
    Base64 of `{emailAddress, historyId}`.
    """


class GmailPush(TypedDict):
    message: Message2
    subscription: NotRequired[str]


class Readiness(TypedDict):
    status: str
    checks: dict[str, Check]


class NotReady(TypedDict):
    """
    What fails.
    """

    detail: Readiness


class HTTPValidationError(TypedDict):
    """
    The request is not valid; every fault is listed.
    """

    detail: list[ValidationError]
    code: NotRequired[str]
    """
    Machine-readable reason: of the service that found the fault, else `request_invalid`.
    """


class Erasure(TypedDict):
    """
    The receipt of a deletion. It says how much was erased, and nothing of what.
    """

    status: Literal["pending"] | Literal["complete"]
    """
    `complete`: every service has erased what it had.
    """
    final: bool
    """
    They were asked again for so long that nothing from before the deletion can still arrive.
    """
    requested_at: str
    completed_at: str | None
    """
    Null while it is pending.
    """
    services: list[ErasedPart]


class DetailedApp(TypedDict):
    name: str
    rootAgentName: str
    description: str
    language: str
    isComputerUse: bool
    agents: NotRequired[dict[str, Any] | None]
    state: Literal["ready", "loading", "failed", "stale"]
    mistakes: list[FileMistake]


class Part(TypedDict):
    text: NotRequired[str | None]
    thought: NotRequired[bool | None]
    thoughtSignature: NotRequired[str | None]
    partMetadata: NotRequired[dict[str, Any] | None]
    mediaResolution: NotRequired[MediaResolution | None]
    codeExecutionResult: NotRequired[CodeExecutionResult | None]
    executableCode: NotRequired[ExecutableCode | None]
    fileData: NotRequired[FileData | None]
    inlineData: NotRequired[Blob | None]
    functionCall: NotRequired[FunctionCall | None]
    functionResponse: NotRequired[FunctionResponse | None]
    videoMetadata: NotRequired[VideoMetadata | None]
    toolCall: NotRequired[ToolCall | None]
    toolResponse: NotRequired[ToolResponse | None]
    audioTranscription: NotRequired[Transcription | None]
    mediaProcessing: NotRequired[str | None]
    speechMetadata: NotRequired[SpeechMetadata | None]


class UsageMetadata(TypedDict):
    promptTokenCount: NotRequired[int | None]
    promptTokensDetails: NotRequired[list[ModalityTokenCount] | None]
    candidatesTokenCount: NotRequired[int | None]
    candidatesTokensDetails: NotRequired[list[ModalityTokenCount] | None]
    cachedContentTokenCount: NotRequired[int | None]
    cacheTokensDetails: NotRequired[list[ModalityTokenCount] | None]
    thoughtsTokenCount: NotRequired[int | None]
    toolUsePromptTokenCount: NotRequired[int | None]
    toolUsePromptTokensDetails: NotRequired[list[ModalityTokenCount] | None]
    totalTokenCount: NotRequired[int | None]
    trafficType: NotRequired[str | None]


class PlaceAnswerSources(TypedDict, closed=True):
    flagContentUri: NotRequired[str | None]
    reviewSnippet: NotRequired[list[ReviewSnippet] | None]
    reviewSnippets: NotRequired[list[ReviewSnippet] | None]


class Maps(TypedDict, closed=True):
    placeId: NotRequired[str | None]
    text: NotRequired[str | None]
    title: NotRequired[str | None]
    uri: NotRequired[str | None]
    route: NotRequired[Route | None]
    placeAnswerSources: NotRequired[PlaceAnswerSources | None]


class GroundingChunk(TypedDict, closed=True):
    image: NotRequired[Image | None]
    web: NotRequired[Web | None]
    maps: NotRequired[Maps | None]
    retrievedContext: NotRequired[RetrievedContext | None]


class StartedRun(TypedDict):
    """
    A run, and the webhook of the request.
    """

    invocationId: str
    appName: str
    userId: str
    sessionId: str
    status: Literal["queued", "running", "waiting", "completed", "failed", "cancelled", "interrupted"]
    queuePosition: NotRequired[int]
    """
    Place in the queue of the session, from 1, at most 1000; only while queued.
    """
    attempt: int
    """
    Number of the latest attempt; 0 before the first one.
    """
    createTime: float
    """
    Acceptance, in Unix seconds.
    """
    startTime: NotRequired[float]
    """
    Begin of the latest attempt, in Unix seconds.
    """
    endTime: NotRequired[float]
    """
    End of the latest attempt, in Unix seconds.
    """
    model: NotRequired[str]
    """
    The model that answered last, as it calls itself.
    """
    agentVersion: NotRequired[str]
    """
    The version of the agent in the latest attempt that has ended: the number of an agent under `/api/agents`; for files, the first 12 hex digits of a SHA-256 of the app’s folder.
    """
    agentFilesTime: NotRequired[float]
    """
    Latest change of these files, in Unix seconds.
    """
    agentState: NotRequired[Literal["stale"]]
    """
    The files have changed since that version and have mistakes: `/list-apps?detailed=true` has them.
    """
    unavailableTools: NotRequired[list[UnavailableTool]]
    """
    Sources of tools that the agent had to do without.
    """
    usage: NotRequired[RunUsage]
    errorCode: NotRequired[str]
    errorMessage: NotRequired[str]
    customMetadata: NotRequired[dict[str, Any]]
    waitingFor: NotRequired[list[WaitingCall]]
    """
    Function calls whose answers continue the run; only while waiting. Without `args` when these have more than 32 KiB together.
    """
    output: NotRequired[Any]
    """
    The last answer, when the run has ended or waits: a text, or the object or array that an agent with an `output_schema` answers. `{"truncated": true, "eventId"}` for one of more than 64 KiB. Only in the answers of `getRun` and `waitForRun`, and in messages of webhooks.
    """
    waitingOn: NotRequired[Literal["model", "keys", "artifact", "answer", "lease", "queue"]]
    """
    What the run waits for. `answer`: of a person or a long-running tool; `queue`: the run has not started; the others are told of a running run after some seconds, and may have ended up to six seconds ago. `lease`: its events cannot be stored, or its process is gone and no other one has taken it.
    """
    since: NotRequired[float]
    """
    Begin of the wait that `waitingOn` names, in Unix seconds.
    """
    answerBy: NotRequired[float]
    """
    While waiting: when the default answer is given, if none has come, in Unix seconds.
    """
    webhook: NotRequired[Webhook]


class RunAnswer(TypedDict, closed=True):
    """
    Either `functionResponse` or `functionResponses` is required.
    """

    functionResponse: NotRequired[FunctionAnswer]
    functionResponses: NotRequired[list[FunctionAnswer]]


class RunTrace(TypedDict):
    """
    When the agents, models and tools of a run were at work.
    """

    semanticConventions: str
    """
    Version of the names of attributes.
    """
    spans: list[RunSpan]


class RunLog(TypedDict):
    """
    The code of the app has printed these lines, or the mesh warns of something.
    """

    lines: list[RunLogLine]
    """
    Oldest first, attempt by attempt.
    """
    leftOut: NotRequired[int]
    """
    Number of lines beyond the bounds of a run, which are not kept. Absent without any.
    """


class NotificationList(TypedDict):
    notifications: list[Notification]
    unread_count: int


class AgentRequest(TypedDict, closed=True):
    agent_name: str
    agent_model: str | list[str]
    """
    `provider/model`, or a list of up to five: the next one takes over when one fails. See `docs/models.md`.
    """
    model_retries: NotRequired[int | None]
    agent_description: str
    agent_instruction: str
    agent_type: str
    """
    `llm` or `base`, `router`, `sequential`, `parallel`, `loop`.
    """
    agent_model_params: NotRequired[AgentModelParams | None]
    agent_tools: NotRequired[list[Any] | None]
    tools: NotRequired[list[Any] | None]
    confirm_tools: NotRequired[list[str] | None]
    sub_agents: NotRequired[list[str | int] | None]
    loop_max_iterations: NotRequired[int | None]
    output_key: NotRequired[str | None]
    include_contents: NotRequired[str | None]
    generate_content_config: NotRequired[dict[str, Any] | None]
    disallow_transfer_to_parent: NotRequired[bool | None]
    disallow_transfer_to_peers: NotRequired[bool | None]
    multitask: NotRequired[str | None]
    resumable: NotRequired[bool | None]
    on_disconnect: NotRequired[str | None]
    run_limits: NotRequired[dict[str, Any] | None]
    answer_timeout_seconds: NotRequired[int | None]
    default_answer: NotRequired[dict[str, Any] | None]
    retention: NotRequired[int | str | None]
    answer_mail: NotRequired[bool | None]
    events_compaction_config: NotRequired[dict[str, Any] | None]
    agent_skills: NotRequired[list[Any] | None]
    skills: NotRequired[list[Any] | None]
    tags: NotRequired[list[Any] | None]
    input_schema: NotRequired[Any]
    output_schema: NotRequired[Any]
    output_schema_name: NotRequired[str | None]
    memory_enabled: NotRequired[bool | None]
    artifacts_enabled: NotRequired[bool | None]
    superagent_template_id: NotRequired[Any]
    loop_exit_instruction: NotRequired[str | None]
    hub_origin_id: NotRequired[Any]
    project_id: NotRequired[Any]
    guardrails_config: NotRequired[Any]
    mcp_servers: NotRequired[list[Any] | None]
    code_executor: NotRequired[Any]
    skip_when_upstream: NotRequired[Any]
    owner_id: NotRequired[Any]
    organization_id: NotRequired[Any]


class Retention(TypedDict):
    rules: list[RetentionRule]
    app_rules: list[RetentionRule]
    """
    What counts for applications that say it themselves (`retention` in their file) and have no rule here.
    """
    default_days: NotRequired[int | None]


class SaveArtifactRequest(TypedDict):
    filename: str
    artifact: Part
    customMetadata: NotRequired[dict[str, Any] | None]


UsageReport = TypedDict(
    "UsageReport",
    {
        "from": str,
        "to": str,
        "usage": list[UsageRow],
        "has_more": bool,
        "prices": Prices,
    },
)


class WebhookSubscriptionList(TypedDict):
    subscriptions: list[WebhookSubscription]


class WebhookLogList(TypedDict):
    logs: list[WebhookLog]
    total: int
    """
    Number of logs that match.
    """


class DetailedAppList(TypedDict):
    apps: list[DetailedApp]


class Content(TypedDict, closed=True):
    parts: NotRequired[list[Part] | None]
    role: NotRequired[Literal["user", "model"] | None]


class GroundingMetadata(TypedDict, closed=True):
    imageSearchQueries: NotRequired[list[str] | None]
    webSearchQueries: NotRequired[list[str] | None]
    retrievalQueries: NotRequired[list[str] | None]
    groundingChunks: NotRequired[list[GroundingChunk] | None]
    groundingSupports: NotRequired[list[GroundingSupport] | None]
    retrievalMetadata: NotRequired[RetrievalMetadata | None]
    searchEntryPoint: NotRequired[SearchEntryPoint | None]
    vendorMapsWidgetContextToken: NotRequired[str | None]
    sourceFlaggingUris: NotRequired[list[SourceFlaggingUri] | None]


class Compaction(TypedDict, closed=True):
    startTimestamp: NotRequired[float | None]
    endTimestamp: NotRequired[float | None]
    compactedContent: NotRequired[Content | None]


class EventActions(TypedDict, closed=True):
    skipSummarization: NotRequired[bool | None]
    stateDelta: NotRequired[dict[str, Any]]
    artifactDelta: NotRequired[dict[str, int]]
    transferToAgent: NotRequired[str | None]
    transferReason: NotRequired[str | None]
    escalate: NotRequired[bool | None]
    requestedAuthConfigs: NotRequired[dict[str, Any]]
    requestedToolConfirmations: NotRequired[dict[str, Any]]
    compaction: NotRequired[Compaction | None]
    endOfAgent: NotRequired[bool | None]
    agentState: NotRequired[dict[str, Any] | None]
    rewindBeforeInvocationId: NotRequired[str | None]
    route: NotRequired[bool | None]
    renderUiWidgets: NotRequired[list[RenderUiWidget] | None]
    setModelResponse: NotRequired[Any]


class StartRunRequest(TypedDict, closed=True):
    """
    Either `newMessage` or `invocationId` is required.
    """

    userId: str
    sessionId: str
    appName: str
    newMessage: NotRequired[Content | None]
    streaming: NotRequired[bool]
    stateDelta: NotRequired[dict[str, Any] | None]
    functionCallEventId: NotRequired[str | None]
    invocationId: NotRequired[str | None]
    customMetadata: NotRequired[dict[str, Any] | None]
    serviceTier: NotRequired[str | None]
    onDisconnect: NotRequired[Literal["continue", "cancel"] | None]
    multitask: NotRequired[Literal["enqueue", "reject", "interrupt", "rollback"] | None]
    webhook: NotRequired[RunWebhookRequest]


class RunMessage(TypedDict, closed=True):
    newMessage: Content


class RunAdkAgentRequest(TypedDict):
    agent_name: str
    """
    The app: `agent<N>`, or a name of `/list-apps`.
    """
    user_id: str
    """
    User of the session.
    """
    session_id: str
    run_mode: NotRequired[str | None]
    streaming: NotRequired[bool]
    new_message: Content


class Schedule(TypedDict):
    """
    A message that is sent to an app at the times of a cron expression.
    """

    id: str
    cron: str
    """
    Five fields: minute, hour, day of the month, month, day of the week; or six with seconds first.
    """
    timezone: str
    """
    Name of a time zone, for example `Europe/Berlin`.
    """
    app_name: str
    """
    Until 0.2 also `appName`.
    """
    user_id: str
    """
    Until 0.2 also `userId`.
    """
    session_id: str | None
    """
    Session of all runs; null: each tick has a session of its own.
    """
    new_message: Content
    multitask: NotRequired[Literal["enqueue", "reject", "interrupt", "rollback"] | None]
    catch_up: bool
    """
    Whether ticks that were missed are made up: at most 100 in a row, and none that is more than a day old.
    """
    enabled: bool
    """
    False: paused.
    """
    next_times: list[str]
    """
    The next three ticks; none while paused.
    """
    last_run: ScheduledRun | None
    """
    The latest tick that was acted on.
    """
    missed_ticks: int
    """
    Ticks that were missed and not made up. At most 100 are counted each time that ticks were missed.
    """
    last_missed_at: str | None
    """
    The latest tick that was missed.
    """
    created_at: str
    updated_at: str
    appName: str
    """
    Until 0.2: `app_name`.
    """
    userId: str
    """
    Until 0.2: `user_id`.
    """
    sessionId: str | None
    """
    Until 0.2: `session_id`.
    """
    newMessage: dict[str, Any]
    """
    Until 0.2: `new_message`.
    """


class CreateScheduleRequest(TypedDict, closed=True):
    cron: str
    """
    Five fields: minute, hour, day of the month, month, day of the week; or six with seconds first.
    """
    timezone: NotRequired[str]
    """
    Name of a time zone, for example `Europe/Berlin`.
    """
    app_name: str
    """
    Until 0.2 also `appName`.
    """
    user_id: str
    """
    Until 0.2 also `userId`.
    """
    session_id: NotRequired[str | None]
    new_message: Content
    multitask: NotRequired[Literal["enqueue", "reject", "interrupt", "rollback"] | None]
    catch_up: NotRequired[bool]
    """
    Whether ticks that were missed are made up: at most 100 in a row, and none that is more than a day old.
    """
    enabled: NotRequired[bool]
    """
    False: paused.
    """


class UpdateScheduleRequest(TypedDict, closed=True):
    cron: NotRequired[str]
    """
    Five fields: minute, hour, day of the month, month, day of the week; or six with seconds first.
    """
    timezone: NotRequired[str]
    """
    Name of a time zone, for example `Europe/Berlin`.
    """
    app_name: NotRequired[str]
    """
    Until 0.2 also `appName`.
    """
    user_id: NotRequired[str]
    """
    Until 0.2 also `userId`.
    """
    session_id: NotRequired[str | None]
    new_message: NotRequired[Content]
    multitask: NotRequired[Literal["enqueue", "reject", "interrupt", "rollback"] | None]
    catch_up: NotRequired[bool]
    """
    Whether ticks that were missed are made up: at most 100 in a row, and none that is more than a day old.
    """
    enabled: NotRequired[bool]
    """
    False: paused.
    """


class Memory(TypedDict):
    id: str
    content: Content
    author: str
    timestamp: NotRequired[str]
    customMetadata: dict[str, Any]
    sessionId: str
    eventId: str
    invocationId: str


class RunAgentRequest(TypedDict):
    """
    Either `newMessage` or `invocationId` is required.
    """

    userId: str
    sessionId: str
    appName: str
    newMessage: NotRequired[Content | None]
    streaming: NotRequired[bool]
    stateDelta: NotRequired[dict[str, Any] | None]
    functionCallEventId: NotRequired[str | None]
    invocationId: NotRequired[str | None]
    customMetadata: NotRequired[dict[str, Any] | None]
    serviceTier: NotRequired[str | None]
    onDisconnect: NotRequired[Literal["continue", "cancel"] | None]
    multitask: NotRequired[Literal["enqueue", "reject", "interrupt", "rollback"] | None]


class Event(TypedDict):
    id: NotRequired[str]
    author: str
    invocationId: NotRequired[str]
    timestamp: NotRequired[float]
    branch: NotRequired[str | None]
    content: NotRequired[Content | None]
    partial: NotRequired[bool | None]
    turnComplete: NotRequired[bool | None]
    turnCompleteReason: NotRequired[str | None]
    finishReason: NotRequired[str | None]
    errorCode: NotRequired[str | None]
    errorMessage: NotRequired[str | None]
    interrupted: NotRequired[bool | None]
    customMetadata: NotRequired[dict[str, Any] | None]
    modelVersion: NotRequired[str | None]
    usageMetadata: NotRequired[UsageMetadata | None]
    groundingMetadata: NotRequired[GroundingMetadata | None]
    citationMetadata: NotRequired[CitationMetadata | None]
    cacheMetadata: NotRequired[CacheMetadata | None]
    avgLogprobs: NotRequired[float | None]
    logprobsResult: NotRequired[LogprobsResult | None]
    liveSessionResumptionUpdate: NotRequired[LiveSessionResumptionUpdate | None]
    liveSessionId: NotRequired[str | None]
    goAway: NotRequired[GoAway | None]
    voiceActivity: NotRequired[VoiceActivity | None]
    inputTranscription: NotRequired[Transcription | None]
    outputTranscription: NotRequired[Transcription | None]
    interactionId: NotRequired[str | None]
    interactionStatus: NotRequired[str | None]
    environmentId: NotRequired[str | None]
    actions: NotRequired[EventActions]
    output: NotRequired[Any]
    nodeInfo: NotRequired[NodeInfo]
    longRunningToolIds: NotRequired[list[str] | None]
    isolationScope: NotRequired[str | None]


class CreateSessionRequest(TypedDict):
    sessionId: NotRequired[str | None]
    state: NotRequired[dict[str, Any] | None]
    events: NotRequired[list[Event] | None]
    options: NotRequired[dict[str, Any] | None]


class Session(TypedDict, closed=True):
    id: str
    appName: str
    userId: str
    state: NotRequired[dict[str, Any]]
    events: NotRequired[list[Event]]
    lastUpdateTime: NotRequired[float]


class MemoryList(TypedDict):
    memories: list[Memory]
